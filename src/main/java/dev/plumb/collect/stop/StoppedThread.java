package dev.plumb.collect.stop;

import dev.plumb.linux.Ptrace;
import dev.plumb.unwind.rule.Registers;

/**
 * What was copied of a thread while it was stopped.
 *
 * @param syscall the number of the system call that it is in, or negative
 */
record StoppedThread(
    int tid, Kind kind, Registers registers, long sp, long syscall, StackCopy stack) {
  /** Whether it could be copied. */
  enum Kind {
    COPIED,
    /** It ended in the meantime. */
    GONE,
    /** It waits uninterruptibly in the kernel. */
    UNSTOPPABLE,
    /** It runs 32-bit code. */
    FOREIGN
  }

  static StoppedThread of(int tid, long[] userRegisters, StackCopy stack) {
    long[] general = Ptrace.general(userRegisters);
    return new StoppedThread(
        tid,
        Kind.COPIED,
        Registers.all(userRegisters[Ptrace.RIP], general),
        userRegisters[Ptrace.RSP],
        userRegisters[Ptrace.ORIG_RAX],
        stack);
  }

  static StoppedThread without(int tid, Kind kind) {
    return new StoppedThread(tid, kind, Registers.of(0, 0, 0), 0, -1, StackCopy.NONE);
  }
}
