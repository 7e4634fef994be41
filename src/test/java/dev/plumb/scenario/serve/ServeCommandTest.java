package dev.plumb.scenario.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.cli.serve.StoreGrowth;
import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OwnProcess;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as a user has it: started, asked, ended, started again. */
@RequiresRoot
class ServeCommandTest {
  private static final Pattern ADDRESS = Pattern.compile("http://localhost:\\d+/");

  @TempDir Path folder;

  @Test
  void showsWhatARecordingOfTheSameTimeShows() throws Exception {
    Path file = folder.resolve("out.plumb");
    Path store = folder.resolve("store");
    int spinner;
    try (Programs.Running spinning =
            Programs.start(Programs.compiled("spinner"), "60", "1", "600");
        Programs.Running waiting =
            Programs.start(Programs.compiled("waiter"), "sleep", "100000", "20")) {
      spinner = spinning.pid();
      try (OwnProcess serve = serve(store, "--interval", "1s")) {
        String address = address(serve);
        Thread.sleep(2000);
        // Where others take the CPUs, one of the two may have less: then once more.
        int turns = 1;
        while (!agree(address, file, spinning.pid(), waiting.pid(), turns == 3)) {
          turns++;
        }
        asksWhatServeHas(store);
        try (OwnProcess second = serve(store)) {
          second.await("is in use by process " + serve.pid());
          assertThat(second.said()).contains("it answers at " + address);
          assertThat(second.end()).isEqualTo(1);
        }
        try (OwnProcess second = serve("127.0.0.1:" + port(address), folder.resolve("other"))) {
          second.await("another program has it");
          assertThat(second.end()).isEqualTo(1);
        }
        assertThat(serve.end()).as(serve.said()).isZero();
      }
    }
    try (OwnProcess again = serve(store, "--no-watch");
        Recording recording = Formats.read(file).recording()) {
      String address = address(again);
      assertThat(again.said()).doesNotContain("without closing");
      assertThat(total(address, recording, CPU, spinner)).as("what was kept").isPositive();
      assertThat(again.end()).isZero();
    }
  }

  /** Records, and says whether serve has the same; it must if this is the last time. */
  private static boolean agree(
      String address, Path file, int spinning, int waiting, boolean lastTime) throws Exception {
    String pids = spinning + "," + waiting;
    PlumbCommand.Result result =
        PlumbCommand.run("record", "cpu", "offcpu", "-p", pids, "-d", "5", "-o", file.toString());
    assertThat(result.code()).as(result.err()).isZero();
    try (Recording recording = Formats.read(file).recording()) {
      for (Profile profile : recording.profiles()) {
        boolean cpu = profile.mode().equals("cpu");
        int pid = cpu ? spinning : waiting;
        double recorded = total(profile, pid);
        double allowed = 0.1 * recorded + (cpu ? chance(recorded, recording) : 0);
        // Serve writes second by second, and later where it gets few CPUs.
        long end = System.nanoTime() + 20_000_000_000L;
        double served = total(address, recording, cpu ? CPU : OFF_CPU, pid);
        while (served < recorded - allowed && System.nanoTime() < end) {
          Thread.sleep(200);
          served = total(address, recording, cpu ? CPU : OFF_CPU, pid);
        }
        if (lastTime) {
          assertThat(served).as(profile.mode()).isCloseTo(recorded, within(allowed));
        } else if (Math.abs(served - recorded) > allowed) {
          return false;
        }
      }
    }
    return true;
  }

  /** By the other commands, while serve has the store. */
  private void asksWhatServeHas(Path store) throws IOException {
    PlumbCommand.Result query =
        PlumbCommand.run("query", "cpu", "--store", store.toString(), "--by", "comm");
    assertThat(query.code()).as(query.err()).isZero();
    assertThat(query.out()).contains("spinner");
    PlumbCommand.Result sql =
        PlumbCommand.run(
            "sql",
            "--store",
            store.toString(),
            "--csv",
            "SELECT DISTINCT comm FROM samples WHERE comm IN ('spinner', 'waiter') ORDER BY comm");
    assertThat(sql.out()).as(sql.err()).isEqualTo("comm\nspinner\nwaiter\n");
    Path file = folder.resolve("asked.folded");
    PlumbCommand.Result export =
        PlumbCommand.run("export", "cpu", "--store", store.toString(), "-o", file.toString());
    assertThat(export.code()).as(export.err()).isZero();
    assertThat(Files.readString(file)).contains("spinner;");
    assertThat(StoreGrowth.text(store)).contains("minutes in " + store);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(store)))
        .isEqualTo("rwx------");
  }

  @Test
  void withoutADiskItGoesOnInMemory() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    try (OwnProcess serve = serve(file, "--interval", "1s")) {
      String address = address(serve);
      assertThat(serve.said()).contains("choose another folder").contains("kept in memory");
      long end = System.nanoTime() + 20_000_000_000L;
      while (!get(address + "api/state").contains("process_cpu") && System.nanoTime() < end) {
        Thread.sleep(200);
      }
      assertThat(get(address + "api/state")).as(serve.said()).contains("process_cpu");
      assertThat(serve.end()).isZero();
    }
  }

  @Test
  void othersNeedAToken() throws Exception {
    try (OwnProcess serve = serve("0.0.0.0:0", folder.resolve("store"), "--no-watch")) {
      serve.await("Ctrl-C to quit");
      Matcher matcher = Pattern.compile("the token is in (\\S+)\n").matcher(serve.said());
      assertThat(matcher.find()).as(serve.said()).isTrue();
      String token = Files.readString(Path.of(matcher.group(1))).strip();
      assertThat(token).matches("\\w{32}");
      assertThat(serve.said()).as("what a journal would hold").doesNotContain(token);
      Matcher port = Pattern.compile("http://0\\.0\\.0\\.0:(\\d+)/").matcher(serve.said());
      assertThat(port.find()).as(serve.said()).isTrue();
      String local = "http://127.0.0.1:" + port.group(1) + "/";
      assertThat(status(local + "api/state", "")).isEqualTo(401);
      assertThat(status(local + "api/state", "Bearer " + token)).isEqualTo(200);
      assertThat(serve.end()).isZero();
    }
  }

  private static final String CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  private static final String OFF_CPU = "off_cpu:time:nanoseconds::";

  private OwnProcess serve(Path store, String... options) throws IOException {
    return serve("127.0.0.1:0", store, options);
  }

  private OwnProcess serve(String listen, Path store, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("serve", "--store", store.toString(), "--listen", listen));
    command.addAll(List.of(options));
    return OwnProcess.start(folder, Map.of(), command.toArray(String[]::new));
  }

  private static String address(OwnProcess serve) throws Exception {
    serve.await("Ctrl-C to quit");
    Matcher matcher = ADDRESS.matcher(serve.said());
    assertThat(matcher.find()).as(serve.said()).isTrue();
    return matcher.group();
  }

  private static String port(String address) {
    return address.replaceAll(".*:(\\d+)/", "$1");
  }

  /** Three times what two samplers differ by if they see a thread that has a CPU now and then. */
  private static double chance(double recorded, Recording recording) {
    double period = 1e9 / 99;
    double samples = recorded / period;
    double away = Math.max(0, 1 - recorded / recording.durationNanos());
    return 3 * Math.sqrt(2 * samples * away) * period;
  }

  private static double total(Profile profile, int pid) {
    double total = 0;
    for (int row = 0; row < profile.rows(); row++) {
      total += profile.thread(row).pid() == pid ? profile.value(row, profile.mainType()) : 0;
    }
    return total;
  }

  /** By Pyroscope's API, over the time of the recording. */
  private static double total(String address, Recording recording, String type, int pid)
      throws Exception {
    String body =
        """
        {"profile_typeID": "%s", "label_selector": "{pid=\\"%d\\"}", "start": %d, "end": %d}"""
            .formatted(
                type,
                pid,
                recording.startNanos() / 1_000_000,
                (recording.startNanos() + recording.durationNanos()) / 1_000_000);
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(address + "querier.v1.QuerierService/SelectMergeStacktraces"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String answer = client.send(request, BodyHandlers.ofString()).body();
      Matcher matcher = Pattern.compile("\"total\":\\s*\"(\\d+)\"").matcher(answer);
      assertThat(matcher.find()).as(answer).isTrue();
      return Double.parseDouble(matcher.group(1));
    }
  }

  private static String get(String url) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
          .body();
    }
  }

  private static int status(String url, String authorization) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
  }
}
