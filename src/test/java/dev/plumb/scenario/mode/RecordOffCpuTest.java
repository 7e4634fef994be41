package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waits of programs that know how long they waited, for what, and who woke them. */
@RequiresRoot
class RecordOffCpuTest {
  @TempDir Path folder;

  @Test
  void tenSleepsAreOneSecond() throws Exception {
    Folded folded = recordWaiter("sleep", "10", "100");
    // By its own clock it was a second, or more on a busy machine.
    assertThat(ownMicros()).isGreaterThan(1e6);
    assertThat(sum(folded, "wait_sleep", "[sleep]")).isCloseTo(ownMicros(), withinPercentage(5));
  }

  @ParameterizedTest
  @CsvSource({"pipe, pipe", "socket, socket", "futex, futex", "poll, poll"})
  void eachWaitHasItsFunctionReasonAndWaker(String kind, String reason) throws Exception {
    Path out = folder.resolve("waited");
    Path pprof = folder.resolve("out.pb.gz");
    Folded folded = recordWaiter(kind, "10", "50", "-o", pprof.toString());
    assertThat(sum(folded, "wait_" + kind, "[" + reason + "]"))
        .isCloseTo(ownMicros(), withinPercentage(5));
    String raw = Programs.run("go", "tool", "pprof", "-raw", pprof.toString());
    assertThat(raw).contains("waker:[the-waker (");
  }

  /** The kernel side leaves a walk out when it knows the stack: it must not know it wrongly. */
  @Test
  void sameCallWaitsForDifferentThings() {
    Folded folded =
        PlumbCommand.record(
            folder, "offcpu", "--", Programs.compiled("pipesocket").toString(), "60", "10");
    // Half of the waits each, the socket's at least twice as long, whatever the machine adds.
    assertThat(sum(folded, "wait_either", "[pipe]")).isBetween(0.29e6, 0.58e6);
    assertThat(sum(folded, "wait_either", "[socket]")).isBetween(0.59e6, 1.2e6);
  }

  @Test
  void disk() throws Exception {
    waitsForFiles("disk", "wait_disk", "[disk]");
  }

  @Test
  void pageFault() throws Exception {
    waitsForFiles("fault", "wait_fault", "[page fault]");
  }

  /**
   * The kernel may keep the file in memory, whatever it is told; then there is nothing to wait for.
   */
  private void waitsForFiles(String kind, String function, String reason) throws Exception {
    double waited = 0;
    for (int attempt = 0; attempt < 3 && waited == 0; attempt++) {
      waited = sum(recordWaiter(kind, "500", "0"), function, reason);
    }
    assertThat(waited).isPositive().isLessThan(ownMicros() * 1.05);
  }

  /** A wait of seconds is where it was, not where it ended. */
  @Test
  void noSecondHasMoreThanItsThreadsCanWait() throws Exception {
    int threads = 6;
    Path file = folder.resolve("out.plumb");
    String program = Programs.compiled("sleepers").toString();
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record", "offcpu", "-o", file.toString(), "--", program, threads + "", "2", "2500");
    assertThat(result.code()).as(result.err()).isZero();
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      Map<Long, Long> bySecond = new TreeMap<>();
      long[] told = {0};
      profile
          .timeline()
          .forEach(
              (time, row, cpu, nanos) -> {
                bySecond.merge(Math.floorDiv(time, 1_000_000_000L), nanos, Long::sum);
                told[0] += nanos;
              });
      assertThat(bySecond.values())
          .as("%s", bySecond)
          .allSatisfy(nanos -> assertThat(nanos / 1e9).isLessThan(threads + 0.01));
      assertThat(bySecond).hasSizeGreaterThan(5);
      assertThat(told[0]).isEqualTo(profile.total(1));
      long sleeps = 0;
      long slept = 0;
      for (int row = 0; row < profile.rows(); row++) {
        for (int frame : profile.stacks().frameIds(profile.stack(row))) {
          if (profile.stacks().frames().get(frame).name().equals("rest")) {
            sleeps += profile.value(row, 0);
            slept += profile.value(row, 1);
          }
        }
      }
      assertThat(sleeps).as("each wait once").isEqualTo(3L * threads);
      double millis = threads * 2 * 2500 + 130 * (threads * (threads + 1) / 2.0);
      assertThat(slept / 1e6).isCloseTo(millis, withinPercentage(2));
    }
  }

  @Test
  void shortBlocksAndOtherStatesAreLeftOut() {
    assertThat(recordWaiter("sleep", "5", "50", "--min-block", "10s").with("wait_sleep")).isZero();
    assertThat(recordWaiter("sleep", "5", "20", "--state", "D").with("wait_sleep")).isZero();
    assertThat(recordWaiter("sleep", "5", "20", "--state", "S").with("wait_sleep")).isPositive();
  }

  /** A worker of the kernel that has nothing to do sleeps like one that waits for a disk. */
  @Test
  void aRecordingWithoutWaitsSaysSo() {
    String file = folder.resolve("none.plumb").toString();
    PlumbCommand.Result result =
        PlumbCommand.run("record", "offcpu", "--min-block", "1h", "-o", file, "--", "sleep", "0.1");
    assertThat(result.err()).contains("no samples").doesNotContain("unknown");
    assertThat(PlumbCommand.run("report", file).out())
        .contains("no samples")
        .doesNotContain("unknown");
  }

  @Test
  void idleKernelThreadsAreNoDiskWaits() {
    long idle = idleKernelThreads("I");
    assertThat(idle).as("a second of each of them").isGreaterThan(5_000_000);
    // One or the other may really wait uninterruptibly for a moment.
    assertThat(idleKernelThreads("D")).isLessThan(idle / 10);
  }

  private long idleKernelThreads(String state) {
    return PlumbCommand.record(folder, "offcpu", "--state", state, "-d", "1")
        .sum(line -> line.leaf().equals("[idle kernel thread]"));
  }

  /** Eight threads, running and waiting: their wall time is eight times the clock's. */
  @Test
  void wallTimeOfEveryThreadAddsUp() throws Exception {
    Path mixed = Programs.compiled("mixedthreads");
    try (Programs.Running target = Programs.start(mixed, "20")) {
      Thread.sleep(300);
      Path plumb = folder.resolve("wall.plumb");
      Folded folded =
          PlumbCommand.record(
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

  private Folded recordWaiter(String kind, String count, String millis, String... options) {
    Stream<String> command =
        Stream.of(
            "--",
            "sh",
            "-c",
            "exec %s %s %s %s %s > %s"
                .formatted(
                    Programs.compiled("waiter"),
                    kind,
                    count,
                    millis,
                    folder.resolve("file"),
                    own()));
    return PlumbCommand.record(
        folder,
        Stream.of(Stream.of("offcpu"), Stream.of(options), command)
            .flatMap(s -> s)
            .toArray(String[]::new));
  }

  private Path own() {
    return folder.resolve("own");
  }

  /** What the program waited by its own clock. */
  private double ownMicros() throws Exception {
    return Double.parseDouble(Files.readString(own()).strip());
  }
}
