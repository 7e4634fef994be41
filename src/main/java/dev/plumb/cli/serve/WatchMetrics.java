package dev.plumb.cli.serve;

import dev.plumb.profile.Cgroups;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.push.Pusher;
import dev.plumb.server.metrics.Metric;
import dev.plumb.server.metrics.MetricSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Totals of what was recorded so far, for {@code /metrics}. */
final class WatchMetrics implements MetricSource {
  /** Further names are added up as one: the scraper has to keep them all. */
  private static final int MAX_NAMES = 500;

  private static final String OTHERS = "(others)";
  private static final double NANOS = 1e9;

  private final Map<String, Double> cpuByComm = new LinkedHashMap<>();
  private final Map<String, Double> cpuByContainer = new LinkedHashMap<>();
  private final Map<String, Double> waitingByReason = new LinkedHashMap<>();
  private final Map<String, Double> samples = new LinkedHashMap<>();
  private final Map<String, Double> lost = new LinkedHashMap<>();
  private final Map<String, Double> cut = new LinkedHashMap<>();
  private final Map<String, Double> unnamed = new LinkedHashMap<>();
  private Supplier<Map<String, Pusher.State>> pushed;
  private double queuedSeconds;
  private double queuedWaits;

  WatchMetrics(Supplier<Map<String, Pusher.State>> pushed) {
    this.pushed = pushed;
  }

  /** The receivers from now on. */
  synchronized void pushed(Supplier<Map<String, Pusher.State>> other) {
    pushed = other;
  }

  /** Adds what came in an interval. */
  synchronized void add(Recording recording) {
    for (Profile profile : recording.profiles()) {
      switch (profile.mode()) {
        case "cpu" -> addCpu(profile);
        case "offcpu" -> addWaits(profile);
        case "runq" -> {
          queuedWaits += profile.total(0);
          queuedSeconds += profile.total(1) / NANOS;
        }
        default -> {}
      }
      Quality quality = profile.quality();
      add(samples, profile.mode(), quality.samples());
      quality.lost().forEach((why, n) -> add(lost, why, n));
      quality.truncated().forEach((why, n) -> add(cut, why, n));
      quality.unnamed().forEach((module, n) -> add(unnamed, module, n));
    }
  }

  private void addCpu(Profile profile) {
    double[] ofThread = new double[profile.threads().size()];
    for (int row = 0; row < profile.rows(); row++) {
      ofThread[profile.threadId(row)] += profile.value(row, profile.mainType()) / NANOS;
    }
    for (int thread = 0; thread < ofThread.length; thread++) {
      double seconds = ofThread[thread];
      add(cpuByComm, profile.threads().get(thread).processComm(), seconds);
      Cgroups.container(profile.threads().get(thread).cgroup())
          .ifPresent(container -> add(cpuByContainer, container, seconds));
    }
  }

  private void addWaits(Profile profile) {
    for (int row = 0; row < profile.rows(); row++) {
      String reason = profile.labels(row).values().getOrDefault("reason", "");
      add(waitingByReason, reason, profile.value(row, profile.mainType()) / NANOS);
    }
  }

  private static void add(Map<String, Double> sums, String name, double value) {
    boolean known = sums.containsKey(name) || sums.size() < MAX_NAMES;
    sums.merge(known ? name : OTHERS, value, Double::sum);
  }

  @Override
  public synchronized List<Metric> metrics() {
    List<Metric> all = new ArrayList<>();
    all.add(counters("plumb_cpu_seconds_total", "CPU time by program.", "comm", cpuByComm));
    all.add(
        counters(
            "plumb_container_cpu_seconds_total",
            "CPU time by container.",
            "container",
            cpuByContainer));
    all.add(
        counters(
            "plumb_offcpu_seconds_total",
            "Time that threads waited, by reason.",
            "reason",
            waitingByReason));
    if (queuedWaits > 0) {
      all.add(
          Metric.counter(
              "plumb_run_queue_seconds_total",
              "Time that threads waited for a CPU.",
              queuedSeconds));
      all.add(
          Metric.counter(
              "plumb_run_queue_waits_total", "Waits of threads for a CPU.", queuedWaits));
    }
    all.add(counters("plumb_samples_total", "Samples and events kept, by mode.", "mode", samples));
    all.add(
        counters(
            "plumb_lost_samples_total", "Samples and events lost, by reason.", "reason", lost));
    all.add(
        counters(
            "plumb_cut_stacks_total",
            "Samples with an incomplete stack, by reason.",
            "reason",
            cut));
    all.add(
        counters(
            "plumb_unnamed_samples_total",
            "Samples whose innermost frame has no name, by module.",
            "module",
            unnamed));
    addPushes(all);
    return all;
  }

  private void addPushes(List<Metric> all) {
    Map<String, Pusher.State> states = pushed.get();
    if (states.isEmpty()) {
      return;
    }
    all.add(pushes("plumb_pushed_samples_total", "Samples pushed.", states, s -> s.sentSamples()));
    all.add(pushes("plumb_pushed_bytes_total", "Bytes pushed.", states, s -> s.sentBytes()));
    all.add(
        pushes(
            "plumb_push_refused_samples_total",
            "Samples that the receiver refused.",
            states,
            s -> s.refused()));
    all.add(
        pushes(
            "plumb_push_dropped_samples_total",
            "Samples dropped before they were sent.",
            states,
            s -> s.dropped()));
    Metric waiting =
        pushes(
            "plumb_push_waiting_bytes",
            "Bytes that wait to be sent.",
            states,
            s -> s.waitingBytes());
    all.add(new Metric(waiting.name(), waiting.help(), false, waiting.values()));
  }

  private static Metric pushes(
      String name,
      String help,
      Map<String, Pusher.State> states,
      ToDoubleFunction<Pusher.State> value) {
    Map<String, Double> values = new LinkedHashMap<>();
    states.forEach((url, state) -> values.put(url, value.applyAsDouble(state)));
    return counters(name, help, "to", values);
  }

  private static Metric counters(
      String name, String help, String label, Map<String, Double> values) {
    return Metric.counters(name, help, label, values);
  }
}
