package dev.plumb.linux.proc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The control groups of a process, of both versions: {@code /proc/PID/cgroup}. */
public record ProcCgroup(List<Entry> entries) {
  public ProcCgroup {
    entries = List.copyOf(entries);
  }

  /**
   * One hierarchy.
   *
   * @param hierarchy 0 for version 2
   * @param controllers {@code cpu,cpuacct}, {@code name=systemd}; empty for version 2
   * @param path from the root of the reader's cgroup namespace
   */
  public record Entry(int hierarchy, String controllers, String path) {
    boolean controls(String controller) {
      return ("," + controllers + ",").contains("," + controller + ",");
    }
  }

  /** Empty if the process is gone. */
  public static Optional<ProcCgroup> read(ProcReader reader, int pid) {
    List<Entry> entries = new ArrayList<>();
    ByteCursor cursor = new ByteCursor();
    boolean there =
        reader
            .at(pid, "cgroup")
            .forEachLine(
                (bytes, start, end) -> entries.add(parse(cursor.on(bytes, start, end), bytes)));
    return there && !entries.isEmpty() ? Optional.of(new ProcCgroup(entries)) : Optional.empty();
  }

  /** {@code 4:memory:/user.slice}; {@code 0::/user.slice}. A path may have colons too. */
  public static Entry parse(ByteCursor c, byte[] bytes) {
    int hierarchy = (int) c.decimal();
    int start = c.skip(1).at();
    int end = c.skipPast(':').at() - 1;
    return new Entry(hierarchy, ByteCursor.text(bytes, start, Math.max(start, end)), c.rest());
  }

  /** The path in the version 2 hierarchy. */
  public Optional<String> unified() {
    return entries.stream().filter(e -> e.hierarchy() == 0).map(Entry::path).findFirst();
  }

  /** The path in the version 1 hierarchy that has this controller. */
  public Optional<String> path(String controller) {
    return entries.stream().filter(e -> e.controls(controller)).map(Entry::path).findFirst();
  }

  /**
   * The most specific path: that of version 2, unless it is the root and a version 1 hierarchy has
   * a longer one, as on machines that mount both.
   */
  public String mostSpecific() {
    if (areRoots()) {
      return "/";
    }
    String best = unified().orElse("/");
    if (!best.equals("/")) {
      return best;
    }
    for (String controller : new String[] {"memory", "cpu", "pids", "name=systemd"}) {
      Optional<String> path = path(controller).filter(p -> !p.equals("/"));
      if (path.isPresent()) {
        return path.get();
      }
    }
    return best;
  }

  private boolean areRoots() {
    for (Entry entry : entries) {
      if (!entry.path().equals("/")) {
        return false;
      }
    }
    return true;
  }
}
