package dev.plumb.server.pyroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.profile.ProfileType;
import dev.plumb.server.TestServer;
import dev.plumb.server.pyroscope.Between.Passed;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pyroscope's clients for Python (PyPI's pyroscope-io) and Java (io.pyroscope:agent), and {@code go
 * tool pprof}. {@code ./check} installs them.
 */
class OtherClientsTest {
  private static final Path TOOLS =
      Path.of(System.getProperty("user.home"), ".cache", "plumb-tools");

  @TempDir Path folder;

  private static long total(TestServer server, ProfileType type, String service) {
    return server
        .store
        .merged(
            Selection.of(type, Selector.parse("{service_name=\"" + service + "\"}"), TimeRange.ALL))
        .total(0);
  }

  @Test
  void python() throws Exception {
    Path python = TOOLS.resolve("pyroscope-io/bin/python");
    assumeTrue(Files.isExecutable(python), "pyroscope-io is not installed");
    Path clients = ExternalTools.need("plumb-clients");
    try (TestServer server = TestServer.strict(folder);
        Between between = new Between(server.address(), folder)) {
      ExternalTools.run(
          python,
          Path.of("src/test/python/pyroscope_client.py").toAbsolutePath(),
          between.address(),
          "3");
      assertThat(between.passed()).isNotEmpty();
      assertThat(between.passed()).allMatch(passed -> passed.status() == 200);
      List<Object> command = new ArrayList<>(List.of(clients, "sum"));
      between.passed().forEach(passed -> command.add(passed.body()));
      Map<String, Long> sent = new TreeMap<>();
      ExternalTools.run(command.toArray())
          .lines()
          .map(line -> line.split(" "))
          .forEach(words -> sent.put(words[1] + " " + words[2], Long.parseLong(words[3])));
      assertThat(sent).isNotEmpty();
      Map<String, Long> stored = new TreeMap<>();
      for (ProfileType type : server.store.types(TimeRange.ALL)) {
        stored.put(
            type.sampleType() + " " + type.sampleUnit(), total(server, type, "python-client"));
      }
      assertThat(stored).isEqualTo(sent);
      assertThat(stored.get("cpu nanoseconds")).isGreaterThan(500_000_000L);
    }
  }

  @Test
  void java() throws Exception {
    Path agent = TOOLS.resolve("pyroscope-agent.jar");
    assumeTrue(Files.exists(agent), "io.pyroscope:agent is not installed");
    Path clients = ExternalTools.need("plumb-clients");
    try (TestServer server = TestServer.strict(folder);
        Between between = new Between(server.address(), folder)) {
      run(
          List.of(
              Jvm.java().toString(),
              "-XX:TieredStopAtLevel=1",
              "--enable-native-access=ALL-UNNAMED",
              "-javaagent:" + agent,
              Path.of("src/test/targets/Hot.java").toAbsolutePath().toString()),
          between.address());
      assertThat(between.passed()).isNotEmpty();
      assertThat(between.passed()).allMatch(passed -> passed.status() == 200);
      Map<String, Long> events = new TreeMap<>();
      for (Passed passed : between.passed()) {
        Path jfr = folder.resolve(passed.body().getFileName() + ".jfr");
        ExternalTools.run(clients, "part", passed.body(), passed.contentType(), "jfr", jfr);
        summary(jfr).forEach((event, count) -> events.merge(event, count, Long::sum));
      }
      assertThat(events.get("jdk.ExecutionSample")).isGreaterThan(50);
      ProfileType cpu = ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
      assertThat(total(server, cpu, "java-client"))
          .isEqualTo(events.get("jdk.ExecutionSample") * 10_000_000L);
    }
  }

  private void run(List<String> command, String address) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .putAll(
            Map.of(
                "PYROSCOPE_APPLICATION_NAME", "java-client",
                "PYROSCOPE_SERVER_ADDRESS", address,
                "PYROSCOPE_UPLOAD_INTERVAL", "2s",
                "PYROSCOPE_FORMAT", "jfr"));
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("java.log").toFile())
            .start();
    if (!process.waitFor(7, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  /** Events by name, as the JDK's own tool counts them. */
  private static Map<String, Long> summary(Path file) throws IOException, InterruptedException {
    Map<String, Long> events = new TreeMap<>();
    Path jfr = Jvm.java().resolveSibling("jfr");
    for (String line : ExternalTools.run(jfr, "summary", file).split("\n")) {
      String[] words = line.strip().split("\\s+");
      if (words.length == 3 && words[1].matches("\\d+")) {
        events.merge(words[0], Long.parseLong(words[1]), Long::sum);
      }
    }
    return events;
  }

  @Test
  void goToolPprofFetches() throws Exception {
    Path go = ExternalTools.need("go");
    try (TestServer server = TestServer.strict(folder)) {
      Thread pusher =
          Thread.startVirtualThread(
              () -> {
                for (int i = 0; i < 3; i++) {
                  sleep(400);
                  server.post(
                      "/ingest?name=app.cpu&from=now&until=now",
                      "main;work 30\nmain;idle 10".getBytes(StandardCharsets.UTF_8));
                }
              });
      String top =
          ExternalTools.runIn(
              folder,
              go,
              "tool",
              "pprof",
              "-top",
              "-symbolize=none",
              server.address() + "/debug/pprof/profile?seconds=2");
      pusher.join();
      assertThat(top).contains("Type: cpu").containsPattern("0ms 75.00% 75.00% .* work");
      assertThat(server.get("/debug/pprof/profile?seconds=0").statusCode()).isEqualTo(400);
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
