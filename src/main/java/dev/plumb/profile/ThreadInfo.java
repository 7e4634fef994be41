package dev.plumb.profile;

/**
 * A thread and its process, with the names that they had when seen.
 *
 * @param innerPid the process's id in its own pid namespace; {@code pid} if it has none
 * @param startNanos when the process started, wall clock; with {@code pid} its identity; 0 if
 *     unknown
 * @param comm the thread's name
 * @param processComm the process's name
 * @param cgroup the process's cgroup path, or empty
 */
public record ThreadInfo(
    int pid,
    int tid,
    int innerPid,
    long startNanos,
    String comm,
    String processComm,
    String cgroup) {}
