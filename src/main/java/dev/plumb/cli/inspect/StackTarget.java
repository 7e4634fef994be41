package dev.plumb.cli.inspect;

import dev.plumb.cli.outcome.NotPossibleException;
import dev.plumb.collect.options.TargetException;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Checks that a process has stacks that can be read, before it is touched. */
final class StackTarget {
  private StackTarget() {}

  /** Fails if not, and says why. */
  static void require(int pid, List<Integer> tids) {
    try (ProcReader reader = new ProcReader()) {
      Optional<ProcStat> stat = pid <= 0 ? Optional.empty() : ProcStat.read(reader, pid);
      if (stat.isEmpty()) {
        throw new TargetException("no process " + pid + "; `plumb list processes` lists them");
      }
      int leader = ProcStatus.read(reader, pid).map(ProcStatus::tgid).orElse(pid);
      if (leader != pid) {
        throw new TargetException(
            "%d is a thread of process %d; use plumb stack %d -t %d"
                .formatted(pid, leader, leader, pid));
      }
      if (pid == ProcessCalls.getpid()) {
        throw new TargetException("plumb cannot stop itself to look at its own stacks");
      }
      int[] threads = ProcList.tids(reader, pid);
      if (stat.get().state() == 'Z' && threads.length <= 1) {
        throw new TargetException(
            "process %d has ended and has no stack; its parent %d has not collected its exit code yet"
                .formatted(pid, stat.get().ppid()));
      }
      for (int tid : tids) {
        if (Arrays.stream(threads).noneMatch(t -> t == tid)) {
          throw new TargetException(
              "no thread %d in process %d; `ls /proc/%d/task` lists them".formatted(tid, pid, pid));
        }
      }
    }
    requireKnownCode(pid);
  }

  private static void requireKnownCode(int pid) {
    if (!System.getProperty("os.arch").equals("amd64")) {
      throw new NotPossibleException("plumb stack supports only x86-64");
    }
    try (ElfFile elf = ElfFile.open(Path.of("/proc/" + pid + "/exe"))) {
      if (!elf.is64()) {
        throw new NotPossibleException(
            "process %d is a 32-bit program; only 64-bit ones are supported".formatted(pid));
      }
    } catch (ElfException e) {
      // A kernel thread has none, and another user's may not be read: that is reported later.
    }
  }
}
