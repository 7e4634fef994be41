package dev.plumb.scenario.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.scenario.Orphan;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that was looked at goes on as if nothing had been. */
@RequiresRoot
@Timeout(60)
class StackUnharmedTest {
  private static final Pattern COUNTS =
      Pattern.compile("spun (\\d+) interrupted (\\d+) lost (-?\\d+) of (\\d+)");

  @TempDir Path folder;

  /** Sleeps, waits on a futex, polls, reads and gets queued signals, and counts what goes wrong. */
  @Test
  void noCallIsBrokenAndNoSignalLost() {
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "count")) {
      assertThat(orphan.line()).isEqualTo("ready");
      for (int i = 0; i < 40; i++) {
        assertThat(StackJson.take(orphan.pid()).threads()).hasSize(6);
      }
      orphan.say("end");
      Matcher counts = COUNTS.matcher(orphan.line());
      assertThat(counts.matches()).isTrue();
      assertThat(Long.parseLong(counts.group(1))).as("spun").isGreaterThan(1_000_000);
      assertThat(counts.group(2)).as("calls that were interrupted").isEqualTo("0");
      assertThat(counts.group(3)).as("signals that were lost").isEqualTo("0");
      assertThat(Integer.parseInt(counts.group(4))).as("signals sent").isGreaterThan(100);
    }
  }

  /** Nothing can stop the first thread; it is not held up when its wait is over. */
  @Test
  void aThreadThatWillNotStop() throws IOException {
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "vfork")) {
      assertThat(orphan.line()).isEqualTo("ready");
      awaitState(orphan.pid(), 'D');
      StackJson stacks = StackJson.take(orphan.pid());
      StackJson.Thread first = stacks.threads().get(orphan.pid());
      assertThat(first.state()).isEqualTo("D");
      assertThat(first.doing()).isEqualTo("waiting in vfork");
      assertThat(first.problem())
          .isEqualTo("it did not stop within 200 ms, so there is no user part");
      assertThat(first.frames()).isNotEmpty().allMatch(StackJson.Frame::kernel);
      assertThat(stacks.threads().values()).anyMatch(t -> t.names().contains("spin"));
      assertThat(stacks.stoppedMillis()).isBetween(200.0, 1000.0);
      assertThat(orphan.line()).isEqualTo("waited");
      assertThat(tracers(orphan.pid())).containsOnly("0");
    }
  }

  /** Plumb is killed while it holds a process; the kernel lets that go. */
  @Test
  void plumbIsKilledMeanwhile() throws Exception {
    Installation plumb = Installation.in(Files.createDirectory(folder.resolve("home")));
    int held = 0;
    for (String signal : List.of("INT", "KILL")) {
      try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "vfork")) {
        assertThat(orphan.line()).isEqualTo("ready");
        awaitState(orphan.pid(), 'D');
        List<String> command = List.of(plumb.launcher().toString(), "stack", "" + orphan.pid());
        try (Installation.Started started = plumb.start(command)) {
          for (int i = 0; i < 3000 && !isHeld(orphan.pid()); i++) {
            Thread.sleep(1);
          }
          held += isHeld(orphan.pid()) ? 1 : 0;
          Programs.run("kill", "-" + signal, "" + started.pid());
          started.end(10);
        }
        assertThat(tracers(orphan.pid())).containsOnly("0");
        assertThat(orphan.line()).isEqualTo("waited");
        awaitState(orphan.pid(), 'S');
        long before = userTicks(orphan.pid());
        Thread.sleep(300);
        assertThat(userTicks(orphan.pid())).as("the other thread spins").isGreaterThan(before);
      }
    }
    assertThat(held).as("it was killed while it held the process").isPositive();
  }

  private static boolean isHeld(int pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path task : tasks.toList()) {
        if (Files.readString(task.resolve("stat")).contains(") t ")) {
          return true;
        }
      }
    }
    return false;
  }

  private static List<String> tracers(int pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return tasks
          .map(task -> read(task.resolve("status")))
          .map(status -> status.replaceFirst("(?s).*TracerPid:\\s+(\\d+).*", "$1"))
          .toList();
    }
  }

  private static long userTicks(int pid) {
    String stat = read(Path.of("/proc/" + pid + "/stat"));
    return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[11]);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitState(int pid, char state) {
    try {
      Orphan.awaitState(pid, state);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
