package dev.plumb.server.pyroscope.otlp;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.server.pyroscope.ingest.NamedStacks;
import dev.plumb.server.pyroscope.ingest.SeriesLabels;
import dev.plumb.server.pyroscope.wire.MetaLabels;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Translates OpenTelemetry's attributes into Plumb's threads and labels. */
final class OtlpAttributes {
  private static final Set<String> OF_THREAD =
      Set.of(
          "thread.name",
          "thread.id",
          "process.pid",
          "process.executable.name",
          "process.executable.path");

  /** Details that would split rows without helping anybody. */
  private static final Set<String> LEFT_OUT = Set.of("cpu.logical_number", "process.parent_pid");

  private OtlpAttributes() {}

  static boolean isOfThread(String key) {
    return OF_THREAD.contains(key) || LEFT_OUT.contains(key);
  }

  static ThreadInfo thread(Map<String, String> attributes) {
    int pid = number(attributes.getOrDefault("process.pid", ""));
    int tid = number(attributes.getOrDefault("thread.id", ""));
    String comm = attributes.getOrDefault("process.executable.name", "");
    if (pid == 0 && tid == 0 && comm.isEmpty()) {
      String thread = attributes.getOrDefault("thread.name", "");
      return thread.isEmpty() ? NamedStacks.NOBODY : new ThreadInfo(0, 0, 0, 0, thread, "", "");
    }
    return new ThreadInfo(
        pid, tid == 0 ? pid : tid, pid, 0, attributes.getOrDefault("thread.name", comm), comm, "");
  }

  private static int number(String text) {
    return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
  }

  /** A resource's attributes as labels of its series. */
  static SeriesLabels series(Map<String, String> attributes) {
    SeriesLabels series = new SeriesLabels();
    String service = attributes.getOrDefault("service.name", "");
    String executable = attributes.getOrDefault("process.executable.name", "");
    if (!service.isEmpty()) {
      series.add(MetaLabels.SERVICE, service);
    } else if (!executable.isEmpty()) {
      series.add(MetaLabels.SERVICE, executable);
    }
    attributes.forEach(
        (key, value) -> {
          String name = name(key);
          if (!isOfThread(key) && !key.equals("service.name") && !series.has(name)) {
            series.add(name, value.length() > 1000 ? value.substring(0, 1000) : value);
          }
        });
    return series;
  }

  private static String name(String key) {
    return switch (key) {
      case "host.name" -> "host";
      case "container.name" -> "container";
      default -> key.replaceAll("[^a-zA-Z0-9_]", "_");
    };
  }

  static Labels labels(Map<String, String> attributes) {
    TreeMap<String, String> labels = new TreeMap<>();
    attributes.forEach((key, value) -> labels.put(name(key), value));
    return labels.isEmpty() ? Labels.NONE : new Labels(labels);
  }
}
