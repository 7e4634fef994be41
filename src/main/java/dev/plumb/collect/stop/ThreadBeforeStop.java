package dev.plumb.collect.stop;

import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.SyscallNames;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStack;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcSyscall;
import java.util.List;
import java.util.Optional;

/**
 * A thread just before it is stopped. Its kernel stack must be read then: afterwards it shows only
 * the stop itself.
 *
 * @param call the system call that it waits in, if any
 * @param kernelStack its kernel stack while it waits
 * @param kernelHidden whether we may not read it
 */
record ThreadBeforeStop(
    ProcStat stat,
    Optional<ProcSyscall> call,
    List<ProcStack.Entry> kernelStack,
    boolean kernelHidden) {
  private static final String WAITING = "SDI";

  /** Empty if it is gone. */
  static Optional<ThreadBeforeStop> read(ProcReader reader, int pid, int tid) {
    Optional<ProcStat> stat = ProcStat.read(reader, pid, tid);
    if (stat.isEmpty()) {
      return Optional.empty();
    }
    if (WAITING.indexOf(stat.get().state()) < 0) {
      return Optional.of(new ThreadBeforeStop(stat.get(), Optional.empty(), List.of(), false));
    }
    Optional<ProcSyscall> call = ProcSyscall.read(reader, pid, tid);
    try {
      return Optional.of(
          new ThreadBeforeStop(stat.get(), call, ProcStack.read(reader, pid, tid), false));
    } catch (SyscallException e) {
      return Optional.of(new ThreadBeforeStop(stat.get(), call, List.of(), true));
    }
  }

  /** Whether it waited in the same place where it was then stopped. */
  boolean waitedIn(StoppedThread halted) {
    return call.isPresent()
        && call.get().sp() == halted.sp()
        && call.get().pc() == halted.registers().pc()
        && Math.max(call.get().number(), -1) == Math.max((int) halted.syscall(), -1);
  }

  /** What it waited in; kernel threads are in no system call. */
  String waiting() {
    return call.filter(c -> c.number() >= 0 && c.pc() != 0)
        .map(c -> "waiting in " + SyscallNames.name(c.number()))
        .orElse("waiting");
  }
}
