package dev.plumb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.export.Formats;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Folded;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waits of programs that know how long they waited, for what, and who woke them. */
@RequiresRoot
class RecordOffCpuTest {
  @TempDir Path folder;

  @Test
  void sleepsAreAsLongAsTheyWere() throws Exception {
    Path out = folder.resolve("waited");
    Folded folded = Runs.record(folder, command("offcpu", "sleep 10 100", out));
    assertThat(sum(folded, "wait_sleep", "[sleep]")).isCloseTo(waited(out), withinPercentage(5));
  }

  @ParameterizedTest
  @CsvSource({"pipe, pipe", "socket, socket", "futex, futex", "poll, poll"})
  void eachWaitHasItsFunctionReasonAndWaker(String kind, String reason) throws Exception {
    Path out = folder.resolve("waited");
    Path pprof = folder.resolve("out.pb.gz");
    Folded folded = Runs.record(folder, command("offcpu -o " + pprof, kind + " 10 50", out));
    assertThat(sum(folded, "wait_" + kind, "[" + reason + "]"))
        .isCloseTo(waited(out), withinPercentage(10));
    String raw = Programs.run("go", "tool", "pprof", "-raw", pprof.toString());
    assertThat(raw).contains("waker:[the-waker (");
  }

  /** The waiter's arguments behind those of record; it writes to a file how long it waited. */
  private static String[] command(String options, String arguments, Path out) {
    List<String> words = new ArrayList<>(List.of(options.split(" ")));
    words.addAll(List.of("--", "sh", "-c", "exec %s %s > %s".formatted(waiter(), arguments, out)));
    return words.toArray(String[]::new);
  }

  /** Microseconds, by the program's own clock. */
  private static double waited(Path out) throws Exception {
    return Double.parseDouble(Files.readString(out).strip());
  }

  @Test
  void disk() throws Exception {
    Path out = folder.resolve("waited");
    Folded folded = recordFiles("disk", out);
    double found = sum(folded, "wait_disk", "[disk]");
    assertThat(found).isPositive().isLessThan(waited(out) * 1.05);
  }

  @Test
  void pageFault() throws Exception {
    Path out = folder.resolve("waited");
    Folded folded = recordFiles("fault", out);
    double found = sum(folded, "wait_fault", "[page fault]");
    assertThat(found).isPositive().isLessThan(waited(out) * 1.05);
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
        Runs.record(folder, "offcpu", "--min-block", "5s", "--", waiter(), "sleep", "5", "50");
    assertThat(slow.with("wait_sleep")).isZero();
    Folded disk = Runs.record(folder, "offcpu", "--state", "D", "--", waiter(), "sleep", "5", "20");
    assertThat(disk.with("wait_sleep")).isZero();
    Folded sleep =
        Runs.record(folder, "offcpu", "--state", "S", "--", waiter(), "sleep", "5", "20");
    assertThat(sleep.with("wait_sleep")).isPositive();
  }

  /** Eight threads, running and waiting: their wall time is eight times the clock's. */
  @Test
  void wallTimeOfEveryThreadAddsUp() throws Exception {
    Path mixed = Programs.compiled("mixed");
    try (Programs.Running target = Programs.start(mixed, "20")) {
      Thread.sleep(300);
      Path whole = folder.resolve("out.plumb");
      Folded folded =
          Runs.record(
              folder, "wall", "-F", "499", "-p", "" + target.pid(), "-d", "4", "-o", "" + whole);
      try (Recording recording = Formats.read(whole).recording()) {
        double threads = folded.total() * 1e3 / recording.durationNanos();
        assertThat(threads).isCloseTo(8, within(0.16));
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
