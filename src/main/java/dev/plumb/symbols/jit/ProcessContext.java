package dev.plumb.symbols.jit;

import dev.plumb.linux.Clock;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;
import java.util.Optional;

/**
 * Where a process lives, as {@code /proc} says while it is there.
 *
 * @param innerPid its id in its own pid namespace, which is what it calls itself
 * @param uid its user
 * @param ourMounts whether it sees the same files as we do
 * @param startBootNanos when it began, CLOCK_BOOTTIME
 */
record ProcessContext(int innerPid, int uid, boolean ourMounts, long startBootNanos) {
  /** Starts are told to 10 ms, and clocks differ a little. */
  private static final long SLACK_NANOS = 1_000_000_000L;

  /** Empty if the process is gone, or we may not look. */
  static Optional<ProcessContext> of(ProcReader reader, Clock clock, JitProcess process) {
    try {
      Optional<ProcStat> stat = ProcStat.read(reader, process.pid());
      Optional<ProcStatus> status = ProcStatus.read(reader, process.pid());
      if (stat.isEmpty() || status.isEmpty() || !isSame(clock, stat.get(), process)) {
        return Optional.empty();
      }
      long mounts = ProcNamespaces.inode(reader, process.pid(), "mnt");
      long ours = ProcNamespaces.inode(reader, (int) ProcessHandle.current().pid(), "mnt");
      return Optional.of(
          new ProcessContext(
              status.get().innerPid(),
              status.get().uid(),
              mounts == ours,
              stat.get().startBootNanos()));
    } catch (SyscallException | IllegalStateException e) {
      return Optional.empty();
    }
  }

  /**
   * Its pid may be another process's by now, which began later. Not earlier: that is how a start
   * looks in CLOCK_MONOTONIC when the machine slept after it.
   */
  private static boolean isSame(Clock clock, ProcStat stat, JitProcess process) {
    long start = clock.wallOfBoot(stat.startBootNanos()) - clock.monotonicOffset();
    return start - process.processStart() < SLACK_NANOS;
  }
}
