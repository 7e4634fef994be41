package dev.plumb.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.TestServer;
import dev.plumb.testing.ExternalTools;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsServiceTest {
  @TempDir Path folder;

  private static final MetricSource HOSTILE =
      () ->
          List.of(
              new Metric(
                  "plumb_cpu_seconds_total",
                  "CPU time by process.\nTwo lines \\ and a backslash.",
                  true,
                  List.of(
                      new Metric.Value(new TreeMap<>(Map.of("comm", "a\"b\\c\nd")), 1.5),
                      new Metric.Value(new TreeMap<>(Map.of("comm", "java")), 2e18))));

  @Test
  void countsWhatWasAskedPushedAndRefused() {
    try (TestServer server = TestServer.start(folder, List.of(HOSTILE))) {
      server.get("/ready");
      server.get("/nothing");
      server.post("/ingest?name=app.cpu", "main;work 7".getBytes(StandardCharsets.UTF_8));
      server.post("/ingest?name=app.cpu", "no count".getBytes(StandardCharsets.UTF_8));
      String text = TestServer.text(server.get("/metrics"));
      assertThat(text)
          .contains("plumb_http_requests_total{status=\"2xx\"} 2\n")
          .contains("plumb_http_requests_total{status=\"4xx\"} 2\n")
          .contains("plumb_http_refusals_total{reason=\"not_found\"} 1\n")
          .contains("plumb_ingested_profiles_total{format=\"folded\"} 1\n")
          .contains("plumb_rejected_profiles_total{reason=\"malformed_profile\"} 1\n")
          .contains("plumb_cpu_seconds_total{comm=\"a\\\"b\\\\c\\nd\"} 1.5\n")
          .containsPattern("process_resident_memory_bytes [1-9]\\d{7,}\n")
          .containsPattern("plumb_store_bytes [1-9]\\d{3,}\n")
          .containsPattern("plumb_store_oldest_timestamp_seconds 1.\\d+E9\n")
          .containsPattern("process_cpu_seconds_total [0-9.]+\n");
    }
  }

  /** {@code promtool check metrics} reads standard input, and complains on standard error. */
  @Test
  void prometheusHasNothingToSayAgainstIt() throws IOException, InterruptedException {
    Path promtool = ExternalTools.need("promtool");
    try (TestServer server = TestServer.start(folder, List.of(HOSTILE))) {
      server.get("/nothing");
      server.post("/ingest?name=app.cpu", "main;work 7".getBytes(StandardCharsets.UTF_8));
      HttpResponse<byte[]> metrics = server.get("/metrics");
      Path file = Files.write(folder.resolve("metrics"), metrics.body());
      Process process =
          new ProcessBuilder(promtool.toString(), "check", "metrics")
              .redirectInput(file.toFile())
              .redirectErrorStream(true)
              .start();
      try (InputStream in = process.getInputStream()) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
      }
      assertThat(process.waitFor()).isZero();
    }
  }
}
