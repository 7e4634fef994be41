package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.testing.Folded;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a recording is for, on each kernel: shares of CPU time, waits and their reasons, threads
 * that waited before it began. Bounds are wide, because an emulated CPU is slow and often late.
 */
@RequiresRoot
@OnEveryKernel
class RecordBasicsTest {
  @TempDir Path folder;

  @Test
  void sharesOfTwoFunctions() {
    String spinner = Programs.compiled("spinner").toString();
    Folded folded = PlumbCommand.record(folder, "-F", "499", "--", spinner, "60", "1", "1.2");
    long a = folded.with("spin_a");
    long b = folded.with("spin_b");
    assertThat(a + b).as("samples").isBetween(250L, 700L);
    assertThat(100.0 * a / (a + b)).as("share of spin_a of %d", a + b).isCloseTo(60, within(8.0));
  }

  @Test
  void waitsHaveTheirFunctionAndReason() throws Exception {
    List<String> kinds = List.of("sleep", "pipe", "socket", "futex", "poll");
    String command =
        "for kind in %s; do %s $kind 6 50 > %s/$kind; done"
            .formatted(String.join(" ", kinds), Programs.compiled("waiter"), folder);
    Folded folded = PlumbCommand.record(folder, "offcpu", "--", "sh", "-c", command);
    for (String kind : kinds) {
      double micros = Double.parseDouble(Files.readString(folder.resolve(kind)).strip());
      assertThat(micros).as("%s by its own clock", kind).isGreaterThan(200_000);
      long waited = folded.sum(l -> l.has("wait_" + kind) && l.leaf().equals("[" + kind + "]"));
      // On one slow CPU it may be held up before and after it waits, which its clock counts too.
      long heldUp = folded.sum(l -> l.has("wait_" + kind) && l.leaf().equals("[preempted]"));
      assertThat(waited)
          .as("%s of %.0f µs by its own clock, held up %d", kind, micros, heldUp)
          .isBetween((long) (micros * 0.8) - heldUp, (long) (micros * 1.05))
          .isGreaterThan((long) (micros * 0.4));
    }
  }

  @Test
  void waitsForALock() throws Exception {
    Path own = folder.resolve("own");
    String command = "exec %s mutex 6 50 > %s".formatted(Programs.compiled("locker"), own);
    Folded folded = PlumbCommand.record(folder, "lock", "--", "sh", "-c", command);
    double micros = Double.parseDouble(Files.readString(own).strip());
    long waited = folded.sum(l -> l.has("waits_mutex") && l.leaf().equals("[mutex]"));
    assertThat(waited)
        .as("of %.0f µs by its own clock", micros)
        .isBetween((long) (micros * 0.5), (long) (micros * 1.05));
  }

  /** By tables in the kernel: 600 calls. */
  @Test
  void wholeStacksWithoutFramePointers() {
    String chains = Programs.withoutFramePointers("chains-static", "-static").toString();
    Folded folded = PlumbCommand.record(folder, "-F", "399", "--", chains, "deep", "2.5");
    long spinning = folded.with("spin");
    long whole =
        folded.sum(l -> l.has("_start") && l.has("begin") && l.has("descend") && l.has("spin"));
    assertThat(spinning).isGreaterThan(200);
    assertThat((double) whole / spinning)
        .as("%d of %d; the first:\n%s", whole, spinning, first(folded))
        .isGreaterThan(0.8);
  }

  private static String first(Folded folded) {
    return folded.lines().stream()
        .filter(line -> line.has("spin"))
        .limit(5)
        .map(line -> String.join(";", line.frames()))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void aThreadThatWaitedBefore() {
    try (Programs.Running sleeper = Programs.start(Path.of("sleep"), "1000")) {
      long start = System.nanoTime();
      Folded folded = PlumbCommand.record(folder, "wall", "-p", "" + sleeper.pid(), "-d", "1");
      long most = (System.nanoTime() - start) / 1000;
      assertThat(folded.sum(line -> line.leaf().equals("[sleep]"))).isBetween(900_000L, most);
    }
  }
}
