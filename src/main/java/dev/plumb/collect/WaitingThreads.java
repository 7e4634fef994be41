package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.SystemCalls;
import dev.plumb.profile.StackEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Threads that waited already when recording started, as {@code list_waiting} of {@code
 * offcpu.bpf.c} writes them. The kernel cannot read another process's stack there, so the user part
 * is unwound here, by frame pointers too.
 *
 * <pre>
 * 0 stack  8 process  16 since  24 tgid  28 tid  32 state  36 kernel_frames
 * 40 pc  48 sp  56 fp  64 frames[127]
 * </pre>
 */
final class WaitingThreads {
  static final int SIZE = 64 + 8 * Records.MAX_KERNEL_FRAMES;

  private final RawStacks stacks;
  private final RawProcesses processes;
  private final int maxUserFrames;

  WaitingThreads(RawStacks stacks, RawProcesses processes, int maxUserFrames) {
    this.stacks = stacks;
    this.processes = processes;
    this.maxUserFrames = maxUserFrames;
  }

  /** Takes the iterator's output. */
  void addAll(MemorySegment output) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment addresses = arena.allocate(JAVA_LONG, maxUserFrames);
      MemorySegment link = arena.allocate(JAVA_LONG, 2);
      for (long at = 0; at + SIZE <= output.byteSize(); at += SIZE) {
        add(output.asSlice(at, SIZE), addresses, link);
      }
    }
  }

  private void add(MemorySegment record, MemorySegment addresses, MemorySegment link) {
    int tgid = record.get(JAVA_INT, 24);
    long since = record.get(JAVA_LONG, 16);
    int kernel = record.get(JAVA_INT, 36);
    long pc = record.get(JAVA_LONG, 40);
    long fp = record.get(JAVA_LONG, 56);
    int user = 0;
    StackEnd end = StackEnd.WHOLE;
    while (pc != 0) {
      if (user == maxUserFrames) {
        end = StackEnd.DEPTH;
        break;
      }
      addresses.setAtIndex(JAVA_LONG, user++, pc);
      if (fp == 0) {
        break;
      }
      if (SystemCalls.tryProcessVmRead(tgid, fp, link) != 16) {
        end = StackEnd.UNREADABLE;
        break;
      }
      long next = link.getAtIndex(JAVA_LONG, 0);
      pc = link.getAtIndex(JAVA_LONG, 1);
      if (next != 0 && Long.compareUnsigned(next, fp) <= 0) {
        end = StackEnd.NO_FRAME_POINTER;
        break;
      }
      fp = next;
    }
    int owner = processes.index(record.get(JAVA_LONG, 8), tgid, since);
    stacks.add(
        record.get(JAVA_LONG, 0), owner, since, record.asSlice(64), kernel, addresses, user, end);
  }
}
