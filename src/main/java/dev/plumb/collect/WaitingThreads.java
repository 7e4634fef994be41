package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.SystemCalls;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.StackEnd;
import dev.plumb.unwind.Registers;
import dev.plumb.unwind.StackMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Threads that waited already when recording started, as {@code list_waiting} of {@code
 * offcpu.bpf.c} writes them. The kernel cannot read another process's stack there, so the user part
 * is unwound here, while they wait.
 *
 * <pre>
 * 0 stack  8 process  16 since  24 tgid  28 tid  32 state  36 kernel_frames
 * 40 pc  48 sp  56 fp  64 bx  72 narrow  80 di  88 ax, cx, si, r10, r11
 * 128 frames[127]
 * </pre>
 */
final class WaitingThreads {
  static final int FRAMES = 128;
  static final int SIZE = FRAMES + 8 * Records.MAX_KERNEL_FRAMES;

  private final RawStacks stacks;
  private final RawProcesses processes;
  private final Unwinding unwinding;

  WaitingThreads(RawStacks stacks, RawProcesses processes, Unwinding unwinding) {
    this.stacks = stacks;
    this.processes = processes;
    this.unwinding = unwinding;
  }

  /** Takes the iterator's output. */
  void addAll(MemorySegment output) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(JAVA_LONG);
      for (long at = 0; at + SIZE <= output.byteSize(); at += SIZE) {
        add(output.asSlice(at, SIZE), word);
      }
    }
  }

  private void add(MemorySegment record, MemorySegment word) {
    int tgid = record.get(JAVA_INT, 24);
    long since = record.get(JAVA_LONG, 16);
    int kernel = record.get(JAVA_INT, 36);
    long pc = record.get(JAVA_LONG, 40);
    Registers start =
        Registers.of(
            pc,
            record.get(JAVA_LONG, 48),
            record.get(JAVA_LONG, 56),
            record.get(JAVA_LONG, 64),
            0,
            record.get(JAVA_LONG, 80));
    StackMemory memory =
        (address, into) -> {
          boolean read = SystemCalls.tryProcessVmRead(tgid, address, word) == 8;
          into[0] = read ? word.get(JAVA_LONG, 0) : 0;
          return read;
        };
    long id = record.get(JAVA_LONG, 0);
    int owner = processes.index(record.get(JAVA_LONG, 8), tgid, since);
    Optional<ProcessImage> image = processes.image(owner);
    MemorySegment frames = record.asSlice(FRAMES);
    boolean narrow = record.get(JAVA_LONG, 72) != 0;
    if (pc == 0 || narrow || image.isEmpty()) {
      MemorySegment leaf = record.asSlice(40);
      StackEnd end = narrow ? StackEnd.NARROW : StackEnd.WHOLE;
      stacks.add(id, owner, since, frames, kernel, leaf, narrow ? 1 : 0, end);
      return;
    }
    StackEnd end = unwinding.unwind(memory, start, image.get(), since);
    MemorySegment user = unwinding.recorded();
    stacks.add(id, owner, since, frames, kernel, user, unwinding.frames(), end);
  }
}
