package dev.plumb.collect.options;

import java.util.List;
import java.util.Optional;

/**
 * What is watched; all that is set must match. Nothing set is the whole machine.
 *
 * @param pids processes with all their threads, and their children
 * @param comm name of a thread or of its process
 * @param pgid a process group, or 0
 * @param pidNamespaceOf a process in the pid namespace, or 0
 * @param self whether Plumb's own threads count
 * @param launched whether Plumb's children are the target: it runs the command
 */
public record Target(
    List<Integer> pids,
    List<Integer> tids,
    String comm,
    Optional<CgroupTarget> cgroup,
    int pgid,
    int pidNamespaceOf,
    boolean self,
    boolean launched) {
  public static final Target EVERYTHING =
      new Target(List.of(), List.of(), "", Optional.empty(), 0, 0, false, false);

  public Target {
    pids = List.copyOf(pids);
    tids = List.copyOf(tids);
  }
}
