package dev.plumb.server.metrics;

import dev.plumb.server.http.ServerCounters;
import dev.plumb.server.schedule.QueryScheduler;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code /metrics} for Prometheus: the server's own metrics and those of all sources. */
public final class MetricsService implements HttpService {
  private final QueryScheduler scheduler;
  private final List<MetricSource> sources;

  public MetricsService(QueryScheduler scheduler, List<MetricSource> sources) {
    this.scheduler = scheduler;
    this.sources = List.copyOf(sources);
  }

  @Override
  public void routing(HttpRules rules) {
    rules.get("/metrics", this::metrics);
  }

  private void metrics(ServerRequest request, ServerResponse response) {
    List<Metric> all = new ArrayList<>(own());
    sources.forEach(source -> all.addAll(source.metrics()));
    StringBuilder text = new StringBuilder();
    all.forEach(metric -> write(metric, text));
    response
        .header(HeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
        .send(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private List<Metric> own() {
    ProcessHandle.Info process = ProcessHandle.current().info();
    ServerCounters counters = scheduler.counters();
    return List.of(
        Metric.counter(
            "process_cpu_seconds_total",
            "CPU time of Plumb itself.",
            process.totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0),
        Metric.gauge("process_resident_memory_bytes", "Memory of Plumb itself.", residentBytes()),
        Metric.gauge(
            "process_start_time_seconds",
            "When Plumb started.",
            process.startInstant().map(instant -> instant.toEpochMilli() / 1000.0).orElse(0.0)),
        Metric.counters(
            "plumb_http_requests_total",
            "Requests by the first digit of their status.",
            "status",
            counters.requests()),
        Metric.counters(
            "plumb_http_refusals_total",
            "Requests that were refused.",
            "reason",
            counters.refusals()),
        Metric.gauge(
            "plumb_queries_waiting", "Queries that wait for their turn.", scheduler.waiting()),
        Metric.counters(
            "plumb_ingested_profiles_total",
            "Profiles that clients pushed.",
            "format",
            counters.ingested()),
        Metric.counter(
            "plumb_ingested_bytes_total",
            "Size of the profiles that clients pushed.",
            counters.ingestedBytes()),
        Metric.counters(
            "plumb_rejected_profiles_total",
            "Profiles that clients pushed and that were refused.",
            "reason",
            counters.rejected()));
  }

  private static double residentBytes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmRSS:")) {
          return 1024.0 * Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    } catch (IOException | NumberFormatException e) {
      // 0 stands for unknown.
    }
    return 0;
  }

  private static void write(Metric metric, StringBuilder text) {
    if (metric.values().isEmpty()) {
      return;
    }
    String type = metric.counter() ? "counter" : "gauge";
    text.append("# HELP %s %s\n".formatted(metric.name(), escape(metric.help(), false)));
    text.append("# TYPE %s %s\n".formatted(metric.name(), type));
    for (Metric.Value value : metric.values()) {
      text.append(metric.name());
      if (!value.labels().isEmpty()) {
        text.append('{');
        String separator = "";
        for (Map.Entry<String, String> label : value.labels().entrySet()) {
          text.append(separator).append(label.getKey()).append("=\"");
          text.append(escape(label.getValue(), true)).append('"');
          separator = ",";
        }
        text.append('}');
      }
      text.append(' ').append(number(value.value())).append('\n');
    }
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String escape(String text, boolean quotes) {
    String escaped = text.replace("\\", "\\\\").replace("\n", "\\n");
    return quotes ? escaped.replace("\"", "\\\"") : escaped;
  }
}
