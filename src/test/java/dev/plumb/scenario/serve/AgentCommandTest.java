package dev.plumb.scenario.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.testing.OwnProcess;
import dev.plumb.testing.Programs;
import dev.plumb.testing.Receiver;
import dev.plumb.testing.RequiresRoot;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent as a service manager runs it: until it is told to end. */
@RequiresRoot
class AgentCommandTest {
  private static final int HANGUP = 1;

  @TempDir Path folder;

  @Test
  void pushesReloadsAndEnds() throws Exception {
    Path config = folder.resolve("agent.yaml");
    int port = freePort();
    try (Receiver receiver = Receiver.start(0, 0);
        Programs.Running spinning =
            Programs.start(Programs.compiled("spinner"), "60", "1", "600")) {
      write(config, receiver, "one", port);
      try (OwnProcess agent =
          OwnProcess.start(folder, Map.of(), "agent", "--config", config.toString())) {
        agent.await("pushing to " + receiver.url());
        Thread.sleep(5000); // it begins when tables are made, and others may want the CPUs
        write(config, receiver, "two", port);
        ProcessCalls.tryKill(agent.pid(), HANGUP);
        agent.await("reloaded the configuration");
        Files.writeString(config, "hertz: much\n");
        ProcessCalls.tryKill(agent.pid(), HANGUP);
        agent.await("continuing with the old settings: " + config);
        Thread.sleep(5000);
        assertThat(metrics(port))
            .contains("plumb_cpu_seconds_total{comm=\"spinner\"}")
            .contains("plumb_pushed_samples_total{to=\"" + receiver.url() + "\"}");
        assertThat(agent.end()).as(agent.said()).isZero();
      }
      List<Map<String, String>> received = receiver.received();
      assertThat(received).allSatisfy(one -> assertThat(one).containsKey("host"));
      assertThat(received).noneMatch(one -> one.getOrDefault("comm", "").startsWith("kworker"));
      for (String part : List.of("one", "two")) {
        List<Map<String, String>> spinner =
            received.stream()
                .filter(one -> "spinner".equals(one.get("comm")))
                .filter(one -> part.equals(one.get("part")))
                .toList();
        assertThat(spinner).as(part).isNotEmpty();
        assertThat(spinner)
            .allSatisfy(one -> assertThat(one).containsEntry("service_name", "turning"));
        assertThat(Receiver.sum(spinner, "process_cpu", "cpu/nanoseconds"))
            .isGreaterThan(500_000_000L);
      }
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static String metrics(int port) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + "/metrics");
    long end = System.nanoTime() + 20_000_000_000L;
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (true) {
        try {
          String text =
              client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
          if (text.contains("plumb_pushed_samples_total{") || System.nanoTime() > end) {
            return text;
          }
        } catch (ConnectException e) {
          assertThat(System.nanoTime()).as("it begins anew").isLessThan(end);
        }
        Thread.sleep(100);
      }
    }
  }

  private static void write(Path config, Receiver receiver, String part, int port)
      throws Exception {
    Files.writeString(
        config,
        """
        push: [{url: %s}]
        interval: 1s
        listen: 127.0.0.1:%d
        labels: {part: %s}
        targets:
          - match: {comm: 'kworker.*'}
            drop: true
          - match: {comm: spinner}
            labels: {service_name: turning}
        """
            .formatted(receiver.url(), port, part));
  }
}
