package dev.plumb.collect.options;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.proc.MountInfo;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks up what a target names: processes, their children, cgroups, namespaces. */
public final class Targets {
  private Targets() {}

  /** Fails unless there is such a process. */
  public static void requireProcess(int pid) {
    if (pid <= 0 || !Files.exists(Path.of("/proc/" + pid))) {
      throw new TargetException("no process " + pid + "; `plumb list processes` lists them");
    }
    try (ProcReader reader = new ProcReader()) {
      int leader = ProcStatus.read(reader, pid).map(ProcStatus::tgid).orElse(pid);
      if (leader != pid) {
        throw new TargetException(
            "%d is a thread of process %d; use -t %d or -p %d".formatted(pid, leader, pid, leader));
      }
    }
  }

  /** Fails unless there is such a thread. */
  public static void requireThread(int tid) {
    if (tid <= 0 || !Files.exists(Path.of("/proc/" + tid))) {
      throw new TargetException(
          "no thread " + tid + "; `ls /proc/PID/task` lists a process's threads");
    }
  }

  /** The processes and all that descend from them now. */
  public static List<Integer> withChildren(List<Integer> pids) {
    if (pids.isEmpty()) {
      return pids;
    }
    Map<Integer, List<Integer>> children = new HashMap<>();
    try (ProcReader reader = new ProcReader()) {
      for (int pid : ProcList.pids(reader)) {
        ProcStat.read(reader, pid)
            .ifPresent(
                stat -> children.computeIfAbsent(stat.ppid(), p -> new ArrayList<>()).add(pid));
      }
    }
    Set<Integer> all = new LinkedHashSet<>(pids);
    List<Integer> unvisited = new ArrayList<>(pids);
    while (!unvisited.isEmpty()) {
      for (int child : children.getOrDefault(unvisited.removeLast(), List.of())) {
        if (all.add(child)) {
          unvisited.add(child);
        }
      }
    }
    return List.copyOf(all);
  }

  /** The inode of the pid namespace that a process is in. */
  public static int pidNamespace(int pid) {
    try (ProcReader reader = new ProcReader()) {
      int inode = (int) ProcNamespaces.inode(reader, pid, "pid");
      if (inode == 0) {
        throw new TargetException("cannot read the pid namespace of " + pid + "; run as root");
      }
      return inode;
    }
  }

  /** A cgroup by its folder ({@code /sys/fs/cgroup/a/b}) or by its path ({@code /a/b}). */
  public static CgroupTarget cgroup(String name) {
    try (ProcReader reader = new ProcReader()) {
      List<MountInfo> mounts =
          MountInfo.readOwn(reader).stream()
              .filter(m -> m.type().startsWith("cgroup"))
              .sorted(Comparator.comparing(MountInfo::type).reversed()) // version 2 first
              .toList();
      for (MountInfo mount : mounts) {
        Path root = Path.of(mount.mountPoint());
        Path folder = real(Path.of(name));
        if (!folder.startsWith(root)) {
          folder = root.resolve(name.replaceFirst("^/+", "")).normalize();
        }
        if (folder.startsWith(root)
            && Files.isDirectory(folder)
            && !controller(mount).equals("none")) {
          return target(mount, root, folder);
        }
      }
    }
    throw new TargetException(
        "no cgroup "
            + name
            + "; use a folder below /sys/fs/cgroup, or a path as in /proc/PID/cgroup");
  }

  /** Where a link leads: /sys/fs/cgroup/cpu is one to a folder of several controllers. */
  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.normalize();
    }
  }

  private static CgroupTarget target(MountInfo mount, Path root, Path folder) {
    try (Fd fd = SystemCalls.open(folder.toString(), SystemCalls.O_RDONLY)) {
      int level =
          Path.of(mount.root()).getNameCount()
              + (folder.equals(root) ? 0 : root.relativize(folder).getNameCount());
      return new CgroupTarget(
          folder.toString(), SystemCalls.statx(fd).inode(), level, controller(mount));
    }
  }

  /** Of v2 empty; of v1 its first controller as the kernel's enum spells it; else "none". */
  private static String controller(MountInfo mount) {
    if (mount.type().equals("cgroup2")) {
      return "";
    }
    List<String> known =
        List.of(
            "cpu",
            "cpuacct",
            "memory",
            "cpuset",
            "pids",
            "blkio",
            "devices",
            "freezer",
            "net_cls",
            "perf_event",
            "net_prio",
            "hugetlb");
    return Arrays.stream(mount.superOptions().split(","))
        .filter(known::contains)
        .findFirst()
        .map(c -> c.equals("blkio") ? "io" : c)
        .orElse("none");
  }
}
