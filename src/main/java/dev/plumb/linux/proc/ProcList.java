package dev.plumb.linux.proc;

/** Lists processes and threads. */
public final class ProcList {
  private ProcList() {}

  /** All processes that this one can see, ascending. */
  public static int[] pids(ProcReader reader) {
    return reader.at("/proc").numberedEntries();
  }

  /** The threads of a process; empty if it is gone. */
  public static int[] tids(ProcReader reader, int pid) {
    return reader.at(pid, "task").numberedEntries();
  }
}
