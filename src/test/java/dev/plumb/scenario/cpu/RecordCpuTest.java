package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On-CPU samples against programs that know where they spend their time, and against perf. */
@RequiresRoot
class RecordCpuTest {
  @TempDir Path folder;

  /** Hz × CPU seconds is over 2 000 samples each time, so that 3 points are no accident. */
  @ParameterizedTest
  @CsvSource({
    "60, 2,   99, 21",
    "60, 1,  999, 2.2",
    "75, 1,  999, 2.2",
    "30, 2,  999, 2.2",
    "75, 2,  999, 2.2",
    "60, 2, 9999, 1",
    "75, 1, 9999, 0.5",
    "30, 1, 9999, 0.5",
  })
  void sharesAndCounts(int share, int threads, int hertz, double seconds) throws Exception {
    Path spinner = Programs.compiled("spinner");
    Path out = folder.resolve("spinner.out");
    Folded folded =
        PlumbCommand.record(
            folder,
            "-F",
            "" + hertz,
            "--",
            "sh",
            "-c",
            "exec %s %d %d %s > %s".formatted(spinner, share, threads, seconds, out));
    double cpuSeconds = Double.parseDouble(Files.readString(out).strip());
    long a = folded.with("spin_a");
    long b = folded.with("spin_b");
    assertThat(100.0 * a / (a + b)).as("share of spin_a").isCloseTo(share, within(3.0));
    double due = hertz * cpuSeconds;
    assertThat((a + b) / due).as("samples of those due").isCloseTo(1.0, within(0.05));
  }

  @Test
  void sharesAreThoseOfPerf() throws Exception {
    Path spinner = Programs.compiled("spinner");
    Path data = folder.resolve("perf.data");
    try (Programs.Running target = Programs.start(spinner, "60", "2", "30");
        Programs.Running perf =
            Programs.start(
                Path.of("perf"),
                "record",
                "-q",
                "-e",
                "cpu-clock",
                "-F",
                "999",
                "-g",
                "-p",
                "" + target.pid(),
                "-o",
                data.toString(),
                "sleep",
                "3")) {
      Folded folded = PlumbCommand.record(folder, "-F", "997", "-p", "" + target.pid(), "-d", "3");
      perf.output();
      double ours = 100.0 * folded.with("spin_a") / (folded.with("spin_a") + folded.with("spin_b"));
      String report =
          Programs.run(
              "perf",
              "report",
              "-i",
              data.toString(),
              "--no-children",
              "-g",
              "none",
              "--stdio",
              "--percent-limit",
              "1");
      double a = percent(report, "spin_a");
      double b = percent(report, "spin_b");
      assertThat(ours).isCloseTo(100 * a / (a + b), within(3.0));
    }
  }

  /** A CPU that goes and comes back is watched again. */
  @Test
  void cpusComeAndGo() throws Exception {
    Path online = Path.of("/sys/devices/system/cpu/cpu1/online");
    assumeTrue(Files.isWritable(online), "no CPU here can be switched off");
    Path perf = folder.resolve("out.perf");
    Path busy = Programs.compiled("busy");
    String script =
        """
        echo 0 > %1$s; sleep 1.5; echo 1 > %1$s; sleep 2.5
        taskset -c 1 %2$s 1000
        """
            .formatted(online, busy);
    Folded folded =
        PlumbCommand.record(folder, "-F", "499", "-o", perf.toString(), "--", "sh", "-c", script);
    assertThat(folded.with("busy_work")).isGreaterThan(350);
    assertThat(Files.readString(perf)).containsPattern("busy +\\d+/\\d+ \\[001]");
  }

  private static double percent(String report, String function) {
    Matcher matcher = Pattern.compile("([\\d.]+)%.*\\b" + function + "\\b").matcher(report);
    assertThat(matcher.find()).as(report).isTrue();
    return Double.parseDouble(matcher.group(1));
  }
}
