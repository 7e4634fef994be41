package dev.plumb.scenario.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.SchedulingCalls;
import dev.plumb.profile.Recording;
import dev.plumb.spool.SpoolWriter;
import dev.plumb.testing.OwnProcess;
import dev.plumb.testing.RequiresRoot;
import dev.plumb.testing.TestRecordings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of {@code serve} when one of its two processes ends by force. */
class ServeKilledTest {
  private static final int FILES = 5;

  @TempDir Path folder;

  /** The next one waits for the store: the server of a dead process has nothing to finish. */
  @Test
  void theServerEndsAtOnceIfTheCollectorIsKilled() throws Exception {
    Path store = folder.resolve("store");
    try (OwnProcess serve = serve(store)) {
      ProcessHandle server = server(serve);
      // It stands still, so that all is there when it learns that it is alone.
      signal("STOP", server);
      SpoolWriter writer = new SpoolWriter(store.resolve("spool"), 64 << 20);
      for (int i = 0; i < FILES; i++) {
        try (Recording recording = TestRecordings.varied()) {
          assertThat(writer.add(recording)).isEmpty();
        }
      }
      serve.close();
      signal("CONT", server);
      server.onExit().get(30, TimeUnit.SECONDS);
      assertThat(waiting(store)).as("left for the next").hasSizeGreaterThanOrEqualTo(FILES - 1);
    }
    try (OwnProcess again = serve(store)) {
      assertThat(again.end()).as(again.said()).isZero();
      assertThat(waiting(store)).as("stored before it ended").isEmpty();
    }
  }

  /** What was seen meanwhile cannot be handed to it; only why it could not begin is said. */
  @Test
  @RequiresRoot
  void aServerThatCannotBeginIsNoFailureOfItsOwn() throws Exception {
    Path state = Files.createDirectory(folder.resolve("busy"));
    try (OwnProcess first = serve(state)) {
      String port = first.said().replaceAll("(?s).*localhost:(\\d+)/.*", "$1");
      try (OwnProcess second = start(folder.resolve("store"), "--listen", "127.0.0.1:" + port)) {
        second.await("another program has it");
        assertThat(second.end()).isEqualTo(1);
        assertThat(second.said()).doesNotContain("Exception").doesNotContain("closed");
      }
    }
  }

  /** The collector goes before others while it has to; questions to its server must not. */
  @Test
  @RequiresRoot
  void aServerThatIsStartedAgainHasNoOthersPriority() throws Exception {
    try (OwnProcess serve = serve(folder.resolve("store"))) {
      ProcessHandle first = server(serve);
      int before = nice(first.pid());
      try (Stream<Path> threads = Files.list(Path.of("/proc/" + serve.pid() + "/task"))) {
        for (Path thread : threads.toList()) {
          SchedulingCalls.trySetNice(Integer.parseInt(thread.getFileName().toString()), -15);
        }
      }
      signal("KILL", first);
      first.onExit().get(30, TimeUnit.SECONDS);
      serve.await("the server is restarted");
      long end = System.nanoTime() + 30_000_000_000L;
      while (children(serve).isEmpty() && System.nanoTime() < end) {
        Thread.sleep(20);
      }
      assertThat(nice(server(serve).pid())).isEqualTo(before);
      assertThat(serve.end()).as(serve.said()).isZero();
    }
  }

  /** Else large questions, as many as there are CPUs, would keep all small ones waiting. */
  @Test
  void requestsHaveMoreThreadsThanThereAreCpus() throws Exception {
    try (OwnProcess serve = serve(folder.resolve("store"))) {
      String command = Files.readString(Path.of("/proc/" + server(serve).pid() + "/cmdline"));
      Matcher matcher =
          Pattern.compile("virtualThreadScheduler\\.parallelism=(\\d+)").matcher(command);
      assertThat(matcher.find()).as(command).isTrue();
      assertThat(Integer.parseInt(matcher.group(1)))
          .isGreaterThan(2 * Runtime.getRuntime().availableProcessors());
      assertThat(serve.end()).as(serve.said()).isZero();
    }
  }

  private static int nice(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16]);
  }

  private OwnProcess serve(Path store) throws Exception {
    OwnProcess serve = start(store, "--listen", "127.0.0.1:0", "--no-watch");
    serve.await("Ctrl-C to quit");
    return serve;
  }

  private OwnProcess start(Path store, String... options) throws IOException {
    List<String> command =
        Stream.concat(Stream.of("serve", "--store", store.toString()), Stream.of(options)).toList();
    return OwnProcess.start(folder, Map.of(), command.toArray(String[]::new));
  }

  private static ProcessHandle server(OwnProcess serve) {
    return children(serve).getFirst();
  }

  private static List<ProcessHandle> children(OwnProcess serve) {
    return ProcessHandle.of(serve.pid()).orElseThrow().children().toList();
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    int code =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertThat(code).isZero();
  }

  private static List<Path> waiting(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve("spool"))) {
      return files.filter(file -> file.toString().endsWith(".plumb")).toList();
    }
  }
}
