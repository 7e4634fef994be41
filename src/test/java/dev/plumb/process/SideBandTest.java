package dev.plumb.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's notices, of real processes. */
@RequiresRoot
class SideBandTest {
  /** What a program told of itself: a number and when. */
  private record Told(long number, long time) {}

  private final ProcessTable table = new ProcessTable();
  private final BackingFiles files = new BackingFiles(1000);
  private final SideBand sideBand = new SideBand(table, files, Cpus.online());

  @TempDir Path folder;

  @AfterEach
  void close() {
    sideBand.close();
    files.close();
  }

  @Test
  void tellsTheLifeOfAProcess() {
    Path library =
        Programs.compile(
            Path.of("src/test/targets/plugin.c"),
            folder.resolve("libfamily.so"),
            "-shared",
            "-fPIC",
            "-DWORK=work");
    Map<String, Told> told = run(Programs.compiled("processevents").toString(), library.toString());
    sideBand.drainAll();
    assertThat(sideBand.lost()).isZero();

    int pid = (int) told.get("start").number();
    ProcessImage start = at(pid, told.get("start").time());
    assertThat(start.comm()).as("the last name it had").isEqualTo("fam-renamed");
    assertThat(start.incomplete()).isFalse();
    int thread = (int) told.get("thread").number();
    assertThat(start.knowsThread(thread)).isTrue();
    assertThat(start.threadName(thread)).isEqualTo("fam-worker");

    long run = told.get("loaded").number();
    Mapping mapping = start.mappingAt(run, told.get("loaded").time()).orElseThrow();
    assertThat(mapping.file().path()).isEqualTo(library.toString());

    int child = (int) told.get("forked").number();
    ProcessImage forked = at(child, told.get("forked").time());
    assertThat(forked.comm()).isEqualTo("fam-renamed");
    assertThat(forked.mappingAt(run, told.get("forked").time())).contains(mapping);
    ProcessImage execed = at(child, told.get("reaped").time());
    assertThat(execed.comm()).isEqualTo("true");
    assertThat(execed.mappingAt(run, told.get("reaped").time())).isEmpty();

    table.forgetEnded(Long.MAX_VALUE);
    assertThat(table.imageAt(pid, told.get("start").time())).as("it ended").isEmpty();
    assertThat(table.imageAt(child, told.get("reaped").time())).as("so did its child").isEmpty();
  }

  private static Map<String, Told> run(String... command) {
    Map<String, Told> told = new HashMap<>();
    for (String line : Programs.run(command).lines().toList()) {
      String[] words = line.split(" ");
      told.put(words[0], new Told(Long.parseLong(words[1]), Long.parseLong(words[2])));
    }
    return told;
  }

  /** Each CPU has a ring of its own; read one after another, the last name would be any of them. */
  @Test
  void noticesOfSeveralCpusAreBroughtIntoOrder() {
    Path renamer = Programs.compiled("renamer");
    for (int round = 0; round < 5; round++) {
      int pid = Integer.parseInt(Programs.run(renamer.toString(), "101").strip());
      sideBand.drainAll();
      assertThat(at(pid, now()).comm()).isEqualTo("hop-100");
    }
  }

  @Test
  void listensOnEveryCpu() {
    assertThat(sideBand.descriptors()).hasSize(Cpus.online().length);
    for (int cpu : Cpus.online()) {
      long before = now();
      String pid = Programs.run("taskset", "-c", "" + cpu, "sh", "-c", "echo $$").strip();
      sideBand.drainAll();
      ProcessImage image = at(Integer.parseInt(pid), now());
      assertThat(image.comm()).isEqualTo("sh");
      assertThat(image.processStart()).isGreaterThan(before);
    }
  }

  /** What may still be missing in another ring waits; nothing is applied too early or twice. */
  @Test
  void drainSaysUpToWhenItIsComplete() throws Exception {
    String pid = Programs.run("sh", "-c", "echo $$").strip();
    long end = now();
    Thread.sleep(20);
    assertThat(sideBand.drain()).isGreaterThan(end).isLessThan(now());
    ProcessImage image = at(Integer.parseInt(pid), end);
    assertThat(image.comm()).isEqualTo("sh");
    sideBand.drainAll();
    assertThat(at(Integer.parseInt(pid), end)).isSameAs(image);
  }

  @Test
  void whatARingCannotTakeIsCounted() {
    // Some 1 KB of notices each; a ring is 256 KB.
    Programs.run(
        "taskset",
        "-c",
        "0",
        "sh",
        "-c",
        "i=0; while [ $i -lt 800 ]; do /bin/true; i=$((i+1)); done");
    sideBand.drainAll();
    // The kernel says how much was lost with the first notice that fits again.
    Programs.run("taskset", "-c", "0", "true");
    sideBand.drainAll();
    assertThat(sideBand.lost()).isPositive();
    String pid = Programs.run("sh", "-c", "echo $$").strip();
    sideBand.drainAll();
    assertThat(at(Integer.parseInt(pid), now()).comm()).as("it goes on").isEqualTo("sh");
  }

  private ProcessImage at(int pid, long time) {
    return table.imageAt(pid, time).orElseThrow();
  }

  private static long now() {
    return SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
  }
}
