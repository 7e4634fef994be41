package dev.plumb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.export.Formats;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Folded;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waits of programs that know how long they waited, for what, and who woke them. */
@RequiresRoot
class RecordOffCpuTest {
  @TempDir Path folder;

  @Test
  void tenSleepsAreOneSecond() {
    Folded folded =
        Runs.record(
            folder, "offcpu", "--", "sh", "-c", "exec " + waiter() + " sleep 10 100 > /dev/null");
    assertThat(sum(folded, "wait_sleep", "[sleep]") / 1e6).isCloseTo(1.0, within(0.05));
  }

  @ParameterizedTest
  @CsvSource({"pipe, pipe", "socket, socket", "futex, futex", "poll, poll"})
  void eachWaitHasItsFunctionReasonAndWaker(String kind, String reason) throws Exception {
    Path pprof = folder.resolve("out.pb.gz");
    Folded folded =
        Runs.record(
            folder,
            "offcpu",
            "-o",
            pprof.toString(),
            "--",
            "sh",
            "-c",
            "exec %s %s 10 50 > /dev/null".formatted(waiter(), kind));
    assertThat(sum(folded, "wait_" + kind, "[" + reason + "]") / 1e6).isCloseTo(0.5, within(0.05));
    String raw = Programs.run("go", "tool", "pprof", "-raw", pprof.toString());
    assertThat(raw).contains("waker:[the-waker (");
  }

  /** The kernel side leaves a walk out when it knows the stack: it must not know it wrongly. */
  @Test
  void sameCallWaitsForDifferentThings() {
    Folded folded =
        Runs.record(folder, "offcpu", "--", Programs.compiled("alternate").toString(), "60", "10");
    assertThat(sum(folded, "wait_either", "[pipe]") / 1e6).isCloseTo(0.3, within(0.06));
    assertThat(sum(folded, "wait_either", "[socket]") / 1e6).isCloseTo(0.6, within(0.06));
  }

  @Test
  void disk() throws Exception {
    Path out = folder.resolve("waited");
    Folded folded = recordFiles("disk", out);
    double waited = Double.parseDouble(Files.readString(out).strip());
    double found = sum(folded, "wait_disk", "[disk]");
    assertThat(found).isPositive().isLessThan(waited * 1.05);
  }

  @Test
  void pageFault() throws Exception {
    Path out = folder.resolve("waited");
    Folded folded = recordFiles("fault", out);
    double waited = Double.parseDouble(Files.readString(out).strip());
    double found = sum(folded, "wait_fault", "[page fault]");
    assertThat(found).isPositive().isLessThan(waited * 1.05);
  }

  private Folded recordFiles(String kind, Path out) {
    return Runs.record(
        folder,
        "offcpu",
        "--",
        "sh",
        "-c",
        "exec %s %s 500 0 %s > %s".formatted(waiter(), kind, folder.resolve("file"), out));
  }

  @Test
  void shortBlocksAndOtherStatesAreLeftOut() {
    Folded slow =
        Runs.record(
            folder,
            "offcpu",
            "--min-block",
            "100ms",
            "--",
            "sh",
            "-c",
            "exec " + waiter() + " sleep 5 50 > /dev/null");
    assertThat(slow.with("wait_sleep")).isZero();
    Folded disk =
        Runs.record(
            folder,
            "offcpu",
            "--state",
            "D",
            "--",
            "sh",
            "-c",
            "exec " + waiter() + " sleep 5 20 > /dev/null");
    assertThat(disk.with("wait_sleep")).isZero();
    Folded sleep =
        Runs.record(
            folder,
            "offcpu",
            "--state",
            "S",
            "--",
            "sh",
            "-c",
            "exec " + waiter() + " sleep 5 20 > /dev/null");
    assertThat(sleep.with("wait_sleep")).isPositive();
  }

  /** Eight threads, running and waiting: their wall time is eight times the clock's. */
  @Test
  void wallTimeOfEveryThreadAddsUp() throws Exception {
    Path mixed = Programs.compiled("mixed");
    try (Programs.Running target = Programs.start(mixed, "20")) {
      Thread.sleep(300);
      Path plumb = folder.resolve("wall.plumb");
      Folded folded =
          Runs.record(
              folder,
              "wall",
              "-F",
              "499",
              "-p",
              "" + target.pid(),
              "-d",
              "4",
              "-o",
              plumb.toString());
      try (Recording recording = Formats.read(plumb).recording()) {
        double micros = recording.durationNanos() / 1e3;
        assertThat(folded.total() / micros).isCloseTo(8, within(0.16));
      }
    }
  }

  private static double sum(Folded folded, String function, String reason) {
    return folded.sum(line -> line.has(function) && line.leaf().equals(reason));
  }

  private static String waiter() {
    return Programs.compiled("waiter").toString();
  }
}
