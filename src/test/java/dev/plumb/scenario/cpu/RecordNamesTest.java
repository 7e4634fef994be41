package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that make it hard to name them: each is still named rightly. */
@RequiresRoot
class RecordNamesTest {
  @TempDir Path folder;

  @Test
  void everyThreadThatWasThereBefore() throws Exception {
    try (Programs.Running eight = Programs.start(Programs.compiled("eightthreads"), "5")) {
      Thread.sleep(200);
      Path perf = folder.resolve("out.perf");
      Folded folded =
          PlumbCommand.record(
              folder, "-F", "499", "-p", "" + eight.pid(), "-d", "1", "-o", perf.toString());
      String script = Files.readString(perf);
      for (int i = 0; i < 8; i++) {
        assertThat(folded.with("work_" + i)).as("work_" + i).isPositive();
        assertThat(script).contains("eight-" + i);
      }
    }
  }

  /** Two libraries at the same addresses in two processes. */
  @Test
  void overlappingLibraries() throws Exception {
    Path host = Programs.compiled("pluginhost");
    Path one = library("one");
    Path two = library("two");
    Folded folded =
        PlumbCommand.record(
            folder,
            "-F",
            "499",
            "--",
            "sh",
            "-c",
            "setarch -R %s %s 700 & setarch -R %s %s 700 & wait".formatted(host, one, host, two));
    long both = folded.sum(line -> line.has("work_in_one") && line.has("work_in_two"));
    assertThat(folded.with("work_in_one")).isBetween(250L, 450L);
    assertThat(folded.with("work_in_two")).isBetween(250L, 450L);
    assertThat(both).isZero();
  }

  private Path library(String name) {
    return Programs.compile(
        Path.of("src/test/targets/plugin.c"),
        folder.resolve("lib" + name + ".so"),
        "-shared",
        "-fPIC",
        "-DWORK=work_in_" + name);
  }

  @Test
  void processThatEndsMidway() {
    Path busy = busy("short_work");
    Folded folded =
        PlumbCommand.record(
            folder, "-F", "499", "--", "sh", "-c", "%s 300; sleep 1".formatted(busy));
    assertThat(folded.with("short_work")).isBetween(100L, 170L);
  }

  /** Each lives for 5 ms; together they are half a second. */
  @Test
  void processesThatLiveForAMoment() {
    Path busy = busy("moment_work");
    Folded folded =
        PlumbCommand.record(
            folder,
            "-F",
            "999",
            "--",
            "sh",
            "-c",
            "i=0; while [ $i -lt 100 ]; do %s 5; i=$((i+1)); done".formatted(busy));
    assertThat(folded.with("moment_work")).isBetween(400L, 600L);
    // What comes before main is the loader's, which has no frame pointers, but its frames are named
    // or told as unknown in their file: never is a process of them unknown altogether.
    assertThat(folded.with("[unknown: process ended too soon]")).isZero();
  }

  @Test
  void binaryThatIsReplacedWhileItRuns() throws Exception {
    Path program = folder.resolve("program");
    Programs.compile(Path.of("src/test/targets/busy.c"), program, "-DWORK=old_work");
    try (Programs.Running running = Programs.start(program, "5000")) {
      Path replacement =
          Programs.compile(
              Path.of("src/test/targets/busy.c"), folder.resolve("new"), "-DWORK=new_work_of_more");
      Files.move(replacement, program, StandardCopyOption.REPLACE_EXISTING);
      Folded folded = PlumbCommand.record(folder, "-F", "499", "-p", "" + running.pid(), "-d", "1");
      assertThat(folded.with("old_work")).isGreaterThan(100);
      assertThat(folded.with("new_work_of_more")).isZero();
    }
  }

  @Test
  void pidThatIsGivenAgain() throws Exception {
    Path first = busy("first_work");
    Path second = busy("second_work");
    // The kernel gives the pid after the one in ns_last_pid.
    String script =
        """
        %s 300 & p=$!; wait $p
        for try in 1 2 3 4 5; do
          echo $((p - 1)) > /proc/sys/kernel/ns_last_pid
          %s 300 & q=$!; wait $q
          if [ $p = $q ]; then exit 7; fi
        done
        """
            .formatted(first, second);
    Path out = folder.resolve("out.folded");
    PlumbCommand.Result result =
        PlumbCommand.run("record", "-F", "499", "-o", out.toString(), "--", "sh", "-c", script);
    assertThat(result.code()).as("the pid was reused: " + result.err()).isEqualTo(7);
    Folded folded = Folded.read(out);
    assertThat(folded.with("first_work")).isBetween(100L, 170L);
    assertThat(folded.with("second_work")).isGreaterThanOrEqualTo(100L);
  }

  private Path busy(String work) {
    return Programs.compile(
        Path.of("src/test/targets/busy.c"), folder.resolve("busy-" + work), "-DWORK=" + work);
  }
}
