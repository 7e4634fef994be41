package dev.plumb.symbols.jit;

import dev.plumb.linux.Clock;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;
import java.util.Optional;

/**
 * What {@code /proc} says about a running process, to find the files that it wrote.
 *
 * @param innerPid its pid in its own pid namespace, which it uses in file names
 * @param uid the user it runs as
 * @param ourMounts whether it is in our mount namespace, so that it sees the same files
 * @param startBootNanos when it started, CLOCK_BOOTTIME
 */
record ProcessContext(int innerPid, int uid, boolean ourMounts, long startBootNanos) {
  /** Start times have a resolution of 10 ms, and clocks differ a little. */
  private static final long SLACK_NANOS = 1_000_000_000L;

  /** Empty if the process is gone, or access is denied. */
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
   * Another process may have the pid by now; it started later. An earlier start is the same
   * process: that is how its start looks in CLOCK_MONOTONIC if the machine was suspended since.
   */
  private static boolean isSame(Clock clock, ProcStat stat, JitProcess process) {
    long start = clock.wallOfBoot(stat.startBootNanos()) - clock.monotonicOffset();
    return start - process.processStart() < SLACK_NANOS;
  }
}
