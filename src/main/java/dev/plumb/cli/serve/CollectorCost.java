package dev.plumb.cli.serve;

import dev.plumb.cli.run.ResidentMemory;
import dev.plumb.server.metrics.Metric;
import dev.plumb.server.metrics.MetricSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** CPU time and memory of the recording process, for {@code /metrics} of the server process. */
final class CollectorCost implements MetricSource {
  private final Optional<ProcessHandle> collector = ProcessHandle.current().parent();

  @Override
  public List<Metric> metrics() {
    return collector.map(CollectorCost::metrics).orElse(List.of());
  }

  private static List<Metric> metrics(ProcessHandle collector) {
    double cpu = collector.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0;
    return List.of(
        Metric.counter(
            "plumb_collector_cpu_seconds_total", "CPU time of the recording process.", cpu),
        Metric.gauge(
            "plumb_collector_resident_memory_bytes",
            "Memory of the recording process.",
            ResidentMemory.of(collector.pid())));
  }
}
