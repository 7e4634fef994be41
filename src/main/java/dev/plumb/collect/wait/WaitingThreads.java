package dev.plumb.collect.wait;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.tables.Unwinding;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.profile.StackEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Threads that were waiting already when the recording started, as {@code list_waiting} in {@code
 * offcpu.bpf.c} lists them. A BPF iterator cannot read the user stack of another process, so it is
 * copied here, while the thread waits.
 *
 * <pre>
 * 0 stack  8 process  16 since  24 tgid  28 tid  32 state  36 kernel_frames
 * 40 pc  48 sp  56 fp  64 bx  72 narrow  80 di  88 ax, cx, si, r10, r11
 * 128 frames[127]
 * </pre>
 */
public final class WaitingThreads {
  public static final int FRAMES = 128;
  public static final int SIZE = FRAMES + 8 * Records.MAX_KERNEL_FRAMES;

  private static final int PAGE = 4096;
  private static final int COPIED_BYTES = 16 << 10;

  private final RawStacks stacks;
  private final RawProcesses processes;
  private final Unwinding unwinding;

  public WaitingThreads(RawStacks stacks, RawProcesses processes, Unwinding unwinding) {
    this.stacks = stacks;
    this.processes = processes;
    this.unwinding = unwinding;
  }

  /** Takes the iterator's output. */
  void addAll(MemorySegment output) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Records.COPY_STACK_OFFSET + COPIED_BYTES, 8);
      for (long at = 0; at + SIZE <= output.byteSize(); at += SIZE) {
        add(output.asSlice(at, SIZE), copy);
      }
    }
  }

  private void add(MemorySegment record, MemorySegment copy) {
    long pc = record.get(JAVA_LONG, 40);
    boolean narrow = record.get(JAVA_LONG, 72) != 0;
    if (pc != 0 && !narrow) {
      // Copied now: it may no longer wait when there is time to unwind it.
      unwinding.takeLater(copied(record, copy), stacks, processes);
      return;
    }
    int tgid = record.get(JAVA_INT, 24);
    long since = record.get(JAVA_LONG, 16);
    stacks.add(
        record.get(JAVA_LONG, 0),
        processes.index(record.get(JAVA_LONG, 8), tgid, since),
        since,
        record.asSlice(FRAMES),
        record.get(JAVA_INT, 36),
        record.asSlice(40),
        narrow ? 1 : 0,
        narrow ? StackEnd.NARROW : StackEnd.WHOLE);
  }

  /** The same as a {@code copy_record}, with the current contents of the stack. */
  private static MemorySegment copied(MemorySegment record, MemorySegment copy) {
    int tgid = record.get(JAVA_INT, 24);
    long sp = record.get(JAVA_LONG, 48);
    int kernel = record.get(JAVA_INT, 36);
    copy.set(JAVA_INT, Records.KIND_OFFSET, Records.COPY);
    copy.set(JAVA_INT, Records.STACK_TGID_OFFSET, tgid);
    copy.set(JAVA_LONG, Records.STACK_ID_OFFSET, record.get(JAVA_LONG, 0));
    copy.set(JAVA_LONG, Records.STACK_PROCESS_OFFSET, record.get(JAVA_LONG, 8));
    copy.set(JAVA_LONG, Records.STACK_TIME_OFFSET, record.get(JAVA_LONG, 16));
    copy.set(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET, kernel);
    copy.set(JAVA_LONG, Records.COPY_PC_OFFSET, record.get(JAVA_LONG, 40));
    copy.set(JAVA_LONG, Records.COPY_SP_OFFSET, sp);
    copy.set(JAVA_LONG, Records.COPY_FP_OFFSET, record.get(JAVA_LONG, 56));
    copy.set(JAVA_LONG, Records.COPY_BX_OFFSET, record.get(JAVA_LONG, 64));
    copy.set(JAVA_LONG, Records.COPY_CX_OFFSET, 0);
    copy.set(JAVA_LONG, Records.COPY_DI_OFFSET, record.get(JAVA_LONG, 80));
    copy.set(JAVA_LONG, Records.COPY_AX_OFFSET, record.get(JAVA_LONG, 88));
    copy.set(JAVA_LONG, Records.COPY_ABSENT_OFFSET, 0);
    MemorySegment.copy(record, FRAMES, copy, Records.COPY_KERNEL_OFFSET, 8L * kernel);
    int bytes = readStack(tgid, sp, copy.asSlice(Records.COPY_STACK_OFFSET));
    copy.set(JAVA_INT, Records.COPY_BYTES_OFFSET, bytes);
    return copy.asSlice(0, Records.COPY_STACK_OFFSET + (long) bytes);
  }

  /** Reads as many pages as are present; returns the number of bytes. */
  private static int readStack(int pid, long sp, MemorySegment into) {
    long all = ProcessCalls.tryProcessVmRead(pid, sp, into);
    if (all > 0) {
      return (int) all;
    }
    int done = 0;
    while (done < COPIED_BYTES) {
      long at = sp + done;
      long size = Math.min(COPIED_BYTES - done, PAGE - (at & PAGE - 1));
      if (ProcessCalls.tryProcessVmRead(pid, at, into.asSlice(done, size)) != size) {
        break;
      }
      done += (int) size;
    }
    return done;
  }
}
