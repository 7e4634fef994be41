package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.run.Interrupts;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.testing.Folded;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.Installation.Started;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl-C, kill and closed pipes, on the real command. */
@RequiresRoot
class RecordSignalsTest {
  @TempDir static Path home;
  private static Installation plumb;
  private static Path folder;

  @BeforeAll
  static void install() {
    plumb = Installation.in(home);
    folder = plumb.publicFolder("work");
  }

  @ParameterizedTest
  @ValueSource(ints = {Interrupts.INT, Interrupts.TERM})
  void aSignalStopsAndKeepsEverything(int signal) throws Exception {
    Path file = folder.resolve("stopped-" + signal + ".folded");
    try (Started started = record("-o", file.toString())) {
      awaitRecording(started);
      Thread.sleep(1000);
      ProcessCalls.tryKill(started.pid(), signal);
      Result result = started.end(30);
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).contains("wrote " + file).contains(" samples, ");
      assertThat(Folded.read(file).total()).isPositive();
    }
  }

  /** A second one while it is being written is impatience; what was recorded is kept. */
  @Test
  void aSecondOneKeepsEverythingToo() throws Exception {
    Path file = folder.resolve("twice.folded");
    try (Started started = record("-o", file.toString())) {
      awaitRecording(started);
      Thread.sleep(1000);
      ProcessCalls.tryKill(started.pid(), Interrupts.INT);
      Thread.sleep(20);
      ProcessCalls.tryKill(started.pid(), Interrupts.INT);
      Result result = started.end(30);
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).doesNotContain("Exception").contains("wrote " + file);
      assertThat(Folded.read(file).total()).isPositive();
    }
  }

  /** A shell has SIGINT ignored in what a script runs in the background. */
  @Test
  void anInterruptCountsThoughItWasIgnored() throws Exception {
    Path file = folder.resolve("ignored.folded");
    try (Started started = recordAfter("trap '' INT", file)) {
      awaitRecording(started);
      Thread.sleep(500);
      ProcessCalls.tryKill(started.pid(), Interrupts.INT);
      Result result = started.end(30);
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).contains("wrote " + file);
    }
  }

  @Test
  void aTerminalThatIsClosedStopsAndKeepsEverything() throws Exception {
    Path file = folder.resolve("hung-up.folded");
    List<String> command = List.of("env", "--default-signal=HUP", plumb.launcher().toString());
    try (Started started = plumb.start(with(command, "record", "-o", file.toString()))) {
      awaitRecording(started);
      Thread.sleep(500);
      ProcessCalls.tryKill(started.pid(), Interrupts.HUP);
      Result result = started.end(30);
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).contains("wrote " + file);
    }
  }

  @Test
  void underNohupItGoesOn() throws Exception {
    Path file = folder.resolve("nohup.folded");
    try (Started started = recordAfter("trap '' HUP", file)) {
      awaitRecording(started);
      ProcessCalls.tryKill(started.pid(), Interrupts.HUP);
      Thread.sleep(1000);
      assertThat(started.process().isAlive()).isTrue();
      ProcessCalls.tryKill(started.pid(), Interrupts.TERM);
      assertThat(started.end(30).code()).isZero();
    }
  }

  private static Started recordAfter(String setUp, Path file) {
    String script = setUp + "; exec '%s' record -o '%s'";
    return plumb.start(List.of("bash", "-c", script.formatted(plumb.launcher(), file)));
  }

  private static List<String> with(List<String> command, String... words) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(words));
    return all;
  }

  @Test
  void aReaderThatHasSeenEnoughIsNoFailure() {
    Result result =
        shell("'%s' record -F 999 -d 1 -o - --quiet | head -n 1; exit ${PIPESTATUS[0]}");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out().lines()).hasSize(1);
  }

  @Test
  void aReaderThatIsGoneBeforeTheFirstByteIsNoFailureEither() {
    Result result = shell("'%s' record -F 999 -d 1 -o - --quiet | true; exit ${PIPESTATUS[0]}");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).isEmpty();
  }

  /** A script that is killed wants its command to end as well, and to know how it did. */
  @Test
  void terminationIsPassedOnToTheCommand() throws Exception {
    Path file = folder.resolve("passed.folded");
    Path up = folder.resolve("up");
    try (Started started =
        record(
            "-o",
            file.toString(),
            "--",
            "sh",
            "-c",
            "trap 'exit 5' TERM; touch " + up + "; while :; do :; done")) {
      await(up);
      ProcessCalls.tryKill(started.pid(), Interrupts.TERM);
      Result result = started.end(30);
      assertThat(result.code()).as(result.err()).isEqualTo(5);
      assertThat(Folded.read(file).total()).isPositive();
    }
  }

  /** Without a terminal, nobody but us got the signal. */
  @Test
  void anInterruptIsPassedOnWhereThereIsNoTerminal() throws Exception {
    Path file = folder.resolve("interrupted.folded");
    Path up = folder.resolve("up-too");
    List<String> command =
        new ArrayList<>(List.of("setsid", "--fork", "--wait", plumb.launcher().toString()));
    command.addAll(
        List.of(
            "record", "-o", file.toString(), "--", "sh", "-c", "touch " + up + "; exec sleep 60"));
    try (Started started = plumb.start(command)) {
      await(up);
      long inside = started.process().children().findFirst().orElseThrow().pid();
      ProcessCalls.tryKill((int) inside, Interrupts.INT);
      Result result = started.end(30);
      assertThat(result.code()).as(result.err()).isEqualTo(128 + Interrupts.INT);
      assertThat(file).exists();
    }
  }

  private static Started record(String... args) {
    List<String> command =
        new ArrayList<>(List.of(plumb.launcher().toString(), "record", "-F", "499"));
    command.addAll(List.of(args));
    return plumb.start(command);
  }

  private static Result shell(String script) {
    try (Started started = plumb.start(List.of("bash", "-c", script.formatted(plumb.launcher())))) {
      return started.end(60);
    }
  }

  /** A recording has begun when its signal handlers and its BPF programs are there. */
  private static void awaitRecording(Started started) throws Exception {
    for (int i = 0; i < 3000; i++) {
      if (started.process().isAlive() && holdsBpfLink(started.pid())) {
        return;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("it does not record:\n" + started.errors());
  }

  private static boolean holdsBpfLink(int pid) throws Exception {
    try (var fds = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
      for (Path fd : fds) {
        try {
          if (Files.readSymbolicLink(fd).toString().contains("[perf_event]")
              && Files.readString(Path.of("/proc/" + pid + "/cmdline")).contains("java")) {
            return true;
          }
        } catch (java.nio.file.NoSuchFileException e) {
          continue; // closed meanwhile
        }
      }
    }
    return false;
  }

  private static void await(Path file) throws InterruptedException {
    for (int i = 0; i < 3000 && !Files.exists(file); i++) {
      Thread.sleep(10);
    }
    assertThat(file).exists();
  }
}
