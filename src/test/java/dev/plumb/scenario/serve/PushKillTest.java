package dev.plumb.scenario.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.engine.Store;
import dev.plumb.testing.OwnProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client was told to be stored is stored, and once. Each push has a function of its own. */
class PushKillTest {
  private static final Pattern ADDRESS = Pattern.compile("http://localhost:\\d+/");
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");

  /** A sample at 100 Hz. */
  private static final long ONCE = 10_000_000;

  private static final int CLIENTS = 6;

  @TempDir Path folder;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  private OwnProcess serve(Path store) throws IOException {
    return OwnProcess.start(
        folder,
        Map.of(),
        "serve",
        "--no-watch",
        "--store",
        store.toString(),
        "--listen",
        "127.0.0.1:0");
  }

  private static String address(OwnProcess serve) throws Exception {
    serve.await("Ctrl-C to quit");
    Matcher matcher = ADDRESS.matcher(serve.said());
    assertThat(matcher.find()).as(serve.said()).isTrue();
    return matcher.group();
  }

  /** Both processes: that which would start the other again, and the server itself. */
  private static void kill(OwnProcess serve) throws Exception {
    ProcessHandle process = ProcessHandle.of(serve.pid()).orElseThrow();
    ProcessHandle server = process.children().findFirst().orElseThrow();
    server.destroyForcibly();
    process.destroyForcibly();
    server.onExit().get(30, TimeUnit.SECONDS);
    process.onExit().get(30, TimeUnit.SECONDS);
  }

  private HttpResponse<String> push(String address, String function)
      throws IOException, InterruptedException {
    String time = Long.toString(System.currentTimeMillis() / 1000);
    String query = "ingest?format=folded&name=pushed.cpu&from=" + time + "&until=" + time;
    return http.send(
        HttpRequest.newBuilder(URI.create(address + query))
            .timeout(Duration.ofSeconds(30))
            .POST(BodyPublishers.ofString("main;" + function + " 1\n"))
            .build(),
        BodyHandlers.ofString());
  }

  /** The value of each function in the store. */
  private static Map<String, Long> stored(Path store) {
    try (Store opened = Store.open(StoreOptions.of(store))) {
      Profile merged = opened.merged(Selection.of(CPU, Selector.ALL, TimeRange.ALL));
      Map<String, Long> values = new HashMap<>();
      for (int row = 0; row < merged.rows(); row++) {
        int leaf = merged.stacks().leaf(merged.stack(row));
        values.merge(merged.stacks().frames().get(leaf).name(), merged.value(row, 0), Long::sum);
      }
      return values;
    }
  }

  private void pushUntilItDies(String address, String name, Set<String> taken) {
    try {
      for (int i = 0; ; i++) {
        if (push(address, name + i).statusCode() == 200) {
          taken.add(name + i);
        }
      }
    } catch (IOException e) {
      // The server is gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whatWasTakenIsThereAfterAKill() throws Exception {
    Path store = folder.resolve("store");
    Random random = new Random(3);
    Set<String> taken = ConcurrentHashMap.newKeySet();
    for (int round = 0; round < 3; round++) {
      try (OwnProcess serve = serve(store)) {
        String address = address(serve);
        List<Thread> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
          String name = "push_" + round + "_" + client + "_";
          clients.add(Thread.startVirtualThread(() -> pushUntilItDies(address, name, taken)));
        }
        Thread.sleep(1000 + random.nextInt(1000));
        kill(serve);
        for (Thread client : clients) {
          client.join(Duration.ofSeconds(60));
        }
      }
      Map<String, Long> values = stored(store);
      assertThat(taken.stream().filter(name -> !values.containsKey(name)))
          .as("missing of %d that were taken, after round %d", taken.size(), round)
          .isEmpty();
      assertThat(values.values()).as("counted once").containsOnly(ONCE);
    }
    assertThat(taken).hasSizeGreaterThan(100);
  }

  /** A push that does not fit is refused, and when it is sent again later it counts once. */
  @Test
  void aFullDiskIsSaid() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path small = Files.createDirectory(folder.resolve("small"));
    run("mount", "-t", "tmpfs", "-o", "size=16m", "none", small.toString());
    try {
      Path store = small.resolve("store");
      List<String> taken = new ArrayList<>();
      List<String> refused = new ArrayList<>();
      try (OwnProcess serve = serve(store)) {
        String address = address(serve);
        assertThat(push(address, "before").statusCode()).isEqualTo(200);
        taken.add("before");
        Path filler = small.resolve("filler");
        fill(filler);
        for (int i = 0; i < 3000 && refused.size() < 5; i++) {
          HttpResponse<String> answer = push(address, "during" + i);
          if (answer.statusCode() == 200) {
            taken.add("during" + i);
          } else {
            refused.add("during" + i);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            assertThat(answer.body()).contains("full");
          }
        }
        assertThat(refused).hasSize(5);
        Files.delete(filler);
        for (String again : refused) {
          assertThat(push(address, again).statusCode()).isEqualTo(200);
        }
        kill(serve);
      }
      Map<String, Long> values = stored(store);
      assertThat(values).containsKeys(taken.toArray(String[]::new));
      assertThat(values).containsKeys(refused.toArray(String[]::new));
      assertThat(values.values()).containsOnly(ONCE);
    } finally {
      run("umount", small.toString());
    }
  }

  private static void fill(Path file) throws IOException {
    try (var out = Files.newOutputStream(file)) {
      byte[] some = new byte[4096];
      while (true) {
        out.write(some);
      }
    } catch (IOException e) {
      // That is the point.
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
  }
}
