package dev.plumb.process;

/** What happened to a process, at a time on CLOCK_MONOTONIC. */
sealed interface ProcessEvent {
  long time();

  /** A new process, or a new thread if both pids are the same. */
  record Forked(long time, int pid, int tid, int parentPid, int parentTid)
      implements ProcessEvent {}

  record Execed(long time, int pid, String comm) implements ProcessEvent {}

  record Renamed(long time, int pid, int tid, String comm) implements ProcessEvent {}

  /** Code was mapped; {@code name} as the kernel writes it. */
  record Mapped(
      long time,
      int pid,
      long start,
      long end,
      long fileOffset,
      int major,
      int minor,
      long inode,
      String name)
      implements ProcessEvent {}

  record Exited(long time, int pid, int tid) implements ProcessEvent {}
}
