package dev.plumb.cli.options;

import dev.plumb.profile.Cgroups;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.push.PushLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A rule of the agent: which threads it is for, and what happens to their samples. A pattern must
 * match the whole value.
 *
 * @param match by name: comm, thread, cgroup, container, service, pid
 * @param drop whether their samples are not pushed
 */
public record TargetRule(Map<String, Pattern> match, Map<String, String> labels, boolean drop) {
  public static final List<String> NAMES =
      List.of("comm", "thread", "cgroup", "container", "service", "pid");

  public TargetRule {
    match = Map.copyOf(match);
    labels = Map.copyOf(labels);
  }

  private boolean matches(ThreadInfo thread) {
    return match.entrySet().stream()
        .allMatch(entry -> entry.getValue().matcher(value(entry.getKey(), thread)).matches());
  }

  private static String value(String name, ThreadInfo thread) {
    return switch (name) {
      case "comm" -> thread.processComm();
      case "thread" -> thread.comm();
      case "cgroup" -> thread.cgroup();
      case "container" -> Cgroups.container(thread.cgroup()).orElse("");
      case "service" -> Cgroups.service(thread);
      case "pid" -> Integer.toString(thread.pid());
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** The first rule that matches decides; threads that none matches are pushed as they are. */
  public static PushLabels labelling(List<TargetRule> rules, Labels common) {
    return thread -> {
      for (TargetRule rule : rules) {
        if (rule.matches(thread)) {
          TreeMap<String, String> all = new TreeMap<>(common.values());
          all.putAll(rule.labels);
          return rule.drop ? Optional.empty() : Optional.of(new Labels(all));
        }
      }
      return Optional.of(common);
    };
  }
}
