package dev.plumb.cli;

import dev.plumb.linux.KernelFile;
import dev.plumb.server.Metric;
import dev.plumb.server.MetricSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the process costs that records, for {@code /metrics} of the one that answers. */
final class CollectorCost implements MetricSource {
  private static final double PAGE_BYTES = 4096;

  private final Optional<ProcessHandle> collector = ProcessHandle.current().parent();

  @Override
  public List<Metric> metrics() {
    return collector.map(CollectorCost::metrics).orElse(List.of());
  }

  private static List<Metric> metrics(ProcessHandle collector) {
    double cpu = collector.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0;
    double resident =
        KernelFile.read("/proc/" + collector.pid() + "/statm")
            .map(text -> Long.parseLong(text.split(" ")[1]) * PAGE_BYTES)
            .orElse(0.0);
    return List.of(
        Metric.counter(
            "plumb_collector_cpu_seconds_total", "CPU time of the process that records.", cpu),
        Metric.gauge(
            "plumb_collector_resident_memory_bytes",
            "Memory of the process that records.",
            resident));
  }
}
