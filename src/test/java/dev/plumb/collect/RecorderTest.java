package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ValueType;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** Recordings under hard conditions: whatever is lost is counted. */
@RequiresRoot
class RecorderTest {
  private static final int TICKS_PER_SECOND = 100;
  private static final int RING = 4 << 20;

  /** A ring of a page and a reader that is late: nearly everything is lost, nothing silently. */
  @Test
  void whatARingCannotTakeIsCounted() throws Exception {
    Path spinner = Programs.compiled("spinner");
    try (Programs.Running running = Programs.start(spinner, "50", "2", "600")) {
      double[] used = {0};
      Recording recording =
          record(
              options(List.of("cpu"), running.pid(), 4999, 4096),
              late(2_000, 200),
              sign -> used[0] += sign * cpuSeconds(running.pid()));
      Quality quality = recording.main().quality();
      assertThat(quality.lostTotal()).isPositive();
      assertThat(quality.lost()).containsKey("ring buffer full");
      double due = 4999 * used[0];
      assertThat((quality.samples() + quality.lostTotal()) / due)
          .as("kept %d and lost %d of %.0f", quality.samples(), quality.lostTotal(), due)
          .isCloseTo(1, within(0.1));
      assertThat(quality.toString()).contains("ring buffer full=");
      recording.close();
    }
  }

  /** Waits are records too: every switch is due. */
  @Test
  void lossesOfWaitsAreCountedToo() throws Exception {
    Path waiter = Programs.compiled("waiter");
    try (Programs.Running running = Programs.start(waiter, "pipe", "1000000", "0")) {
      Recording recording =
          record(options(List.of("offcpu"), running.pid(), 99, 4096), late(1_000, 200), sign -> {});
      assertThat(recording.main().quality().lostTotal()).isPositive();
      recording.close();
    }
  }

  /** A block whose allocation had no room in the ring is not freed twice when it is freed. */
  @Test
  void whatIsLostMakesNoDoubleFrees() throws Exception {
    try (Programs.Running running = Programs.start(Programs.compiled("freshstacks"))) {
      Recording recording =
          record(options(List.of("mem"), running.pid(), 99, 16384), late(3_000, 50), sign -> {});
      Profile profile = recording.main();
      assertThat(profile.quality().lostTotal()).isPositive();
      assertThat(profile.quality().samples()).isPositive();
      assertThat(profile.total(profile.types().size() - 1)).as("bad frees").isZero();
      recording.close();
    }
  }

  @Test
  void aRingThatIsLargeEnoughLosesNothing() throws Exception {
    Path spinner = Programs.compiled("spinner");
    try (Programs.Running running = Programs.start(spinner, "50", "2", "600")) {
      Recording recording =
          record(options(List.of("cpu"), running.pid(), 999, RING), late(1_000, 50), sign -> {});
      assertThat(recording.main().quality().lost()).isEmpty();
      assertThat(recording.main().quality().samples()).isGreaterThan(100);
      recording.close();
    }
  }

  /**
   * Cut into parts, with so little room that nearly every part forgets what went before: nothing is
   * lost, names stay, and a wait that began long ago still has its stack.
   */
  @Test
  void longRecordingsForgetWhatIsNotSeenAnyMore() throws Exception {
    Path spinner = Programs.compiled("spinner");
    Path waiter = Programs.compiled("waiter");
    double slept = 0;
    long lost = 0;
    double spun = 0;
    int parts = 0;
    try (Programs.Running spinning = Programs.start(spinner, "50", "1", "600");
        Programs.Running waiting = Programs.start(waiter, "sleep", "1000", "60000");
        Programs.Running storm =
            Programs.start(Path.of("sh"), "-c", "while sleep 0.01; do /bin/true; done; exit 1");
        Recorder recorder =
            new Recorder(
                watching(List.of("cpu", "offcpu"), spinning.pid(), waiting.pid(), storm.pid()),
                new RawStacks.Limits(3000, 1 << 18))) {
      recorder.start();
      long begun = System.nanoTime();
      for (; parts < 10; parts++) {
        recorder.runFor(500_000_000, () -> false);
        try (Recording part = recorder.cut(Map.of())) {
          slept += seconds(part, "offcpu", waiting.pid(), "wait_sleep");
          spun += seconds(part, "cpu", spinning.pid(), "main");
          lost += part.profiles().get(1).quality().lostTotal();
        }
      }
      double elapsed = (System.nanoTime() - begun) / 1e9;
      assertThat(recorder.timesForgotten()).isGreaterThan(1);
      assertThat(lost).isZero();
      assertThat(slept).isCloseTo(elapsed, within(0.05 * elapsed));
      assertThat(spun).isBetween(0.1 * elapsed, 1.05 * elapsed);
    }
  }

  /**
   * So do modes whose stacks the kernel side holds for long: of blocks in use, of a thread that
   * sleeps.
   */
  @Test
  void whatIsHeldForLongIsNotForgotten() throws Exception {
    Map<String, Long> lost = new TreeMap<>();
    double kept = 0;
    double woken = 0;
    try (Programs.Running keeping =
            Programs.start(Programs.compiled("allocrounds"), "1000", "100");
        Programs.Running waiting =
            Programs.start(Programs.compiled("waiter"), "sleep", "1000", "1500");
        Programs.Running storm =
            Programs.start(Path.of("sh"), "-c", "while sleep 0.01; do /bin/true; done; exit 1");
        Recorder recorder =
            new Recorder(
                watching(
                    List.of("mem", "runq", "io", "lock"),
                    keeping.pid(),
                    waiting.pid(),
                    storm.pid()),
                new RawStacks.Limits(3000, 1 << 18))) {
      recorder.start();
      keeping.process().outputWriter().append('\n').flush();
      for (int part = 0; part < 12; part++) {
        recorder.runFor(500_000_000, () -> false);
        try (Recording recording = recorder.cut(Map.of())) {
          kept = amount(recording, "mem", "inuse_space", keeping.pid(), "keeps");
          woken += amount(recording, "runq", "waits", waiting.pid(), "wait_sleep");
          for (Profile profile : recording.profiles()) {
            profile
                .quality()
                .lost()
                .forEach((why, n) -> lost.merge(profile.mode() + ": " + why, n, Long::sum));
          }
        }
      }
      assertThat(recorder.timesForgotten()).isGreaterThan(2);
    }
    assertThat(lost).isEmpty();
    assertThat(kept).isEqualTo(100_000);
    assertThat(woken).isBetween(3.0, 5.0);
  }

  /**
   * What runs already has its tables before its first sample: none of its stacks has to be copied.
   */
  @Test
  void processesThatRunAlreadyAreKnownBeforeTheirFirstSample() throws Exception {
    Path chains = Programs.withoutFramePointers("chains-known");
    try (Programs.Running running = Programs.start(chains, "deep", "600")) {
      Recording recording =
          record(options(List.of("cpu"), running.pid(), 999, RING), late(1_000, 50), sign -> {});
      assertThat(recording.main().quality().samples()).isGreaterThan(100);
      assertThat(recording.main().quality().truncated()).isEmpty();
      assertThat(recording.facts().get(Recorder.UNWOUND)).startsWith("0;");
      recording.close();
    }
  }

  /** The rate belongs to the mode that samples, whichever others are recorded with it. */
  @Test
  void eachModeHasItsOwnRate() throws Exception {
    Path spinner = Programs.compiled("spinner");
    try (Programs.Running running = Programs.start(spinner, "50", "2", "600")) {
      Recording recording =
          record(
              options(List.of("cpu", "offcpu", "wall"), running.pid(), 499, RING),
              late(1_000, 50),
              sign -> {});
      assertThat(quality(recording, "cpu").rateAsked()).isEqualTo(499);
      assertThat(quality(recording, "cpu").rateHeld()).isBetween(100.0, 550.0);
      assertThat(quality(recording, "wall").rateAsked()).isEqualTo(499);
      assertThat(quality(recording, "offcpu").rateAsked()).as("nothing is sampled").isZero();
      recording.close();
    }
  }

  /** Loading takes longer than this recording; it is no part of it. */
  @Test
  void aRecordingIsAsLongAsItRecords() throws Exception {
    long begun = System.nanoTime();
    try (Recorder recorder = new Recorder(options(List.of("cpu", "offcpu"), 1, 99, RING))) {
      long loaded = System.nanoTime() - begun;
      recorder.start();
      recorder.runFor(10_000_000, () -> false);
      recorder.stop();
      try (Recording recording = recorder.finish(Map.of())) {
        assertThat(recording.durationNanos()).isGreaterThanOrEqualTo(10_000_000);
        assertThat(recording.durationNanos()).isLessThan(loaded + 10_000_000);
      }
    }
  }

  private static RecordOptions watching(List<String> modes, Integer... pids) {
    return new RecordOptions(
        modes,
        new Target(List.of(pids), List.of(), "", Optional.empty(), 0, 0, false, false),
        999,
        StackOptions.DEFAULT,
        WaitOptions.ALL,
        RING);
  }

  /** What a process spent in and below a function. */
  private static double seconds(Recording recording, String mode, int pid, String function) {
    return amount(recording, mode, mode.equals("cpu") ? "cpu" : "time", pid, function) / 1e9;
  }

  private static double amount(
      Recording recording, String mode, String type, int pid, String function) {
    Profile profile =
        recording.profiles().stream().filter(p -> p.mode().equals(mode)).findFirst().orElseThrow();
    int column = profile.types().stream().map(ValueType::name).toList().indexOf(type);
    StackTable stacks = profile.stacks();
    long amount = 0;
    for (int row = 0; row < profile.rows(); row++) {
      boolean inFunction =
          Arrays.stream(stacks.frameIds(profile.stack(row)))
              .anyMatch(id -> stacks.frames().get(id).name().equals(function));
      if (profile.thread(row).pid() == pid && inFunction) {
        amount += profile.value(row, column);
      }
    }
    return amount;
  }

  private static Quality quality(Recording recording, String mode) {
    return recording.profiles().stream()
        .filter(profile -> profile.mode().equals(mode))
        .map(Profile::quality)
        .findFirst()
        .orElseThrow();
  }

  private static RecordOptions options(List<String> modes, int pid, int hertz, int ringBytes) {
    Target target = new Target(List.of(pid), List.of(), "", Optional.empty(), 0, 0, false, false);
    return new RecordOptions(
        modes, target, hertz, StackOptions.DEFAULT, WaitOptions.ALL, ringBytes);
  }

  /** {@code measure} is called with -1 when it has begun and with 1 when it is over. */
  private static Recording record(
      RecordOptions options, BooleanSupplier done, IntConsumer measure) {
    try (Recorder recorder = new Recorder(options)) {
      recorder.start();
      measure.accept(-1);
      recorder.runFor(Long.MAX_VALUE, done);
      measure.accept(1);
      recorder.stop();
      return recorder.finish(Map.of());
    }
  }

  /** A reader that sleeps between reads, and stops after a while. */
  private static BooleanSupplier late(long millis, long sleepMillis) {
    long end = System.nanoTime() + millis * 1_000_000;
    return () -> {
      try {
        Thread.sleep(sleepMillis);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return System.nanoTime() > end;
    };
  }

  private static double cpuSeconds(int pid) {
    try (ProcReader reader = new ProcReader()) {
      ProcStat stat = ProcStat.read(reader, pid).orElseThrow();
      return (stat.userTicks() + stat.systemTicks()) / (double) TICKS_PER_SECOND;
    }
  }
}
