package dev.plumb.scenario.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.OwnProcess;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recording and answering end apart: whatever happens to the one, the other loses nothing. */
@RequiresRoot
class ServeFatesTest {
  private static final Pattern ADDRESS = Pattern.compile("http://localhost:(\\d+)/");

  @TempDir Path folder;

  @Test
  void aServerThatIsKilledCostsNothing() throws Exception {
    Path store = folder.resolve("store");
    try (Programs.Running spinner = Programs.start(Programs.compiled("spinner"), "60", "1", "600");
        OwnProcess serve = serve(store, "127.0.0.1:0")) {
      address(serve);
      Thread.sleep(2500);
      ProcessHandle server = server(serve);
      server.destroyForcibly();
      server.onExit().get(10, TimeUnit.SECONDS);
      serve.await("recording continues");
      Thread.sleep(4000);
      assertThat(server(serve).pid()).isNotEqualTo(server.pid());
      assertThat(serve.end()).as(serve.said()).isZero();
      assertThat(seconds(store, spinner.pid())).as("gaps").isZero();
      assertThat(waiting(store)).as("left in the spool").isEmpty();
    }
  }

  @Test
  void aCollectorThatIsKilledTakesItsServerWithItAndCanBeStartedAgain() throws Exception {
    Path store = folder.resolve("store");
    String port;
    try (OwnProcess serve = serve(store, "127.0.0.1:0")) {
      port = address(serve);
      Thread.sleep(2500);
      ProcessHandle server = server(serve);
      serve.close(); // kill -9
      try (OwnProcess again = serve(store, "127.0.0.1:" + port)) {
        address(again);
        server.onExit().get(10, TimeUnit.SECONDS);
        assertThat(ready(port)).isEqualTo(200);
        assertThat(again.end()).as(again.said()).isZero();
      }
    }
  }

  /** Whoever waits for it may start a program then: all of it is seen. */
  @Test
  void itIsReadyWhenRecordingHasBegun() throws Exception {
    Path store = folder.resolve("store");
    String port = freePort();
    try (OwnProcess serve = serve(store, "127.0.0.1:" + port)) {
      long end = System.nanoTime() + 30_000_000_000L;
      while (ready(port) != 200 && System.nanoTime() < end) {
        Thread.sleep(10);
      }
      long started = System.currentTimeMillis();
      int pid;
      try (Programs.Running spinner =
          Programs.start(Programs.compiled("spinner"), "60", "1", "600")) {
        pid = spinner.pid();
        Thread.sleep(2000);
      }
      assertThat(serve.end()).as(serve.said()).isZero();
      String first = sql(store, "SELECT epoch_ms(min(time)) FROM samples WHERE pid = " + pid);
      assertThat(Double.parseDouble(first) - started)
          .as("first sample, ms")
          .isBetween(-50.0, 500.0);
    }
  }

  private static String freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return Integer.toString(socket.getLocalPort());
    }
  }

  /** How many seconds between the first and the last sample of a busy process have none. */
  private static int seconds(Path store, int pid) {
    String text =
        sql(
            store,
            """
            SELECT count(DISTINCT date_trunc('second', time)),
              date_diff('second', min(time), max(time)) FROM samples WHERE pid = %d"""
                .formatted(pid));
    String[] numbers = text.split(",");
    int all = Integer.parseInt(numbers[1]);
    assertThat(all).isGreaterThanOrEqualTo(5);
    return Math.max(0, all - Integer.parseInt(numbers[0]));
  }

  private static String sql(Path store, String question) {
    PlumbCommand.Result result =
        PlumbCommand.run("sql", "--store", store.toString(), "--csv", question);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out().lines().skip(1).findFirst().orElseThrow();
  }

  private static List<Path> waiting(Path store) throws IOException {
    try (var files = Files.list(store.resolve("spool"))) {
      return files.filter(file -> file.toString().endsWith(".plumb")).toList();
    }
  }

  private OwnProcess serve(Path store, String listen) throws IOException {
    return OwnProcess.start(
        folder,
        Map.of(),
        "serve",
        "cpu",
        "--store",
        store.toString(),
        "--listen",
        listen,
        "--interval",
        "1s");
  }

  private static ProcessHandle server(OwnProcess serve) throws Exception {
    for (int i = 0; i < 500; i++) {
      var found = ProcessHandle.of(serve.pid()).orElseThrow().children().findFirst();
      if (found.isPresent()) {
        return found.get();
      }
      Thread.sleep(20);
    }
    throw new AssertionError("no server: " + serve.said());
  }

  private static String address(OwnProcess serve) throws Exception {
    serve.await("Ctrl-C to quit");
    Matcher matcher = ADDRESS.matcher(serve.said());
    assertThat(matcher.find()).as(serve.said()).isTrue();
    return matcher.group(1);
  }

  private static int ready(String port) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ready"))
                  .timeout(Duration.ofSeconds(5))
                  .build(),
              BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      return 0;
    }
  }
}
