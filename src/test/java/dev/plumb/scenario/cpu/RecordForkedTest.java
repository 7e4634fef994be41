package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A process that was forked and runs the same program has its parent's code, so its tables fit. */
@RequiresRoot
class RecordForkedTest {
  /** So small that few stacks could be copied. */
  private static final int RING = 64 << 10;

  @Test
  void stacksOfChildrenAreWholeThoughNobodyReads() throws Exception {
    Quality quality;
    try (Programs.Running parent = Programs.start(Programs.compiled("spinchildren"), "10", "600");
        Recorder recorder = new Recorder(options(parent.pid()))) {
      recorder.start();
      recorder.runFor(1_000_000_000, () -> false); // until there are tables
      recorder.cut(Map.of()).close();
      for (int read = 0; read < 8; read++) {
        Thread.sleep(200);
        recorder.runFor(1, () -> false);
      }
      recorder.stop();
      try (Recording recording = recorder.finish(Map.of())) {
        quality = recording.main().quality();
      }
    }
    assertThat(quality.samples()).isGreaterThan(100);
    assertThat((double) quality.truncatedTotal() / quality.samples())
        .as("%s", quality)
        .isLessThan(0.02);
  }

  private static RecordOptions options(int pid) {
    Target target = new Target(List.of(pid), List.of(), "", Optional.empty(), 0, 0, false, false);
    return new RecordOptions(
        List.of("cpu"), target, 1999, StackOptions.DEFAULT, WaitOptions.ALL, RING);
  }
}
