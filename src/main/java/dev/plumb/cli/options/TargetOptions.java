package dev.plumb.cli.options;

import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.Targets;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What is recorded; the same options in every command that records. */
public final class TargetOptions {
  @Option(names = "-a", description = "The whole machine (default).")
  boolean all;

  @Option(
      names = "-p",
      split = ",",
      paramLabel = "PID",
      description = "These processes, with all their threads and children.")
  public List<Integer> pids = List.of();

  @Option(names = "-t", split = ",", paramLabel = "TID", description = "These threads.")
  List<Integer> tids = List.of();

  @Option(
      names = "-g",
      paramLabel = "CGROUP",
      description = "This cgroup and its descendants, by its folder or its path in the hierarchy.")
  public String cgroup = "";

  @Option(
      names = "--comm",
      paramLabel = "NAME",
      description = "Threads and processes with this name.")
  public String comm = "";

  @Option(names = "--pgid", paramLabel = "N", description = "This process group.")
  public int pgid;

  @Option(names = "--pidns", paramLabel = "PID", description = "The pid namespace of this process.")
  public int pidNamespaceOf;

  @Option(names = "--self", description = "Include Plumb's own threads.")
  boolean self;

  /** The target; checks that it exists. */
  public Target target(boolean launches) {
    pids.forEach(Targets::requireProcess);
    tids.forEach(Targets::requireThread);
    if (pidNamespaceOf != 0) {
      Targets.requireProcess(pidNamespaceOf);
    }
    return new Target(
        Targets.withChildren(pids),
        tids,
        comm,
        cgroup.isEmpty() ? Optional.empty() : Optional.of(Targets.cgroup(cgroup)),
        pgid,
        pidNamespaceOf,
        self,
        launches);
  }

  /** Whether the target is given by numbers that the kernel has to know. */
  public boolean namesPids() {
    return !pids.isEmpty() || !tids.isEmpty() || pgid != 0 || pidNamespaceOf != 0;
  }

  /** In words, for the summary. */
  public String text(List<String> command) {
    if (!command.isEmpty()) {
      return String.join(" ", command);
    }
    StringBuilder text = new StringBuilder();
    append(text, "pid ", pids.isEmpty() ? "" : join(pids));
    append(text, "tid ", tids.isEmpty() ? "" : join(tids));
    append(text, "cgroup ", cgroup);
    append(text, "comm ", comm);
    append(text, "process group ", pgid == 0 ? "" : "" + pgid);
    append(text, "pid namespace of ", pidNamespaceOf == 0 ? "" : "" + pidNamespaceOf);
    return text.isEmpty() ? "the whole machine" : text.toString();
  }

  private static String join(List<Integer> numbers) {
    return String.join(", ", numbers.stream().map(String::valueOf).toList());
  }

  private static void append(StringBuilder text, String what, String value) {
    if (!value.isEmpty()) {
      text.append(text.isEmpty() ? "" : ", ").append(what).append(value);
    }
  }
}
