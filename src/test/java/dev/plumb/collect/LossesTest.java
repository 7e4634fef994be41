package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A ring that is far too small: what each mode keeps and what it loses is what was due to it. */
@RequiresRoot
class LossesTest {
  private static final int HERTZ = 1999;
  private static final int RING = 4096;
  private static final int READS = 10;
  private static final double TICKS_PER_SECOND = 100;

  @Test
  void eachLossBelongsToOneMode() throws Exception {
    List<String> modes = List.of("cpu", "offcpu", "io", "wall", "runq");
    try (Programs.Running spinner = Programs.start(Programs.compiled("spinner"), "50", "1", "600");
        Programs.Running waiter =
            Programs.start(Programs.compiled("waiter"), "pipe", "1000000", "0");
        Recorder recorder = new Recorder(options(modes, spinner.pid(), waiter.pid()))) {
      recorder.start();
      double usedBefore = cpuSeconds(spinner.pid()) + cpuSeconds(waiter.pid());
      for (int read = 0; read < READS; read++) {
        Thread.sleep(200); // nobody reads meanwhile
        recorder.runFor(1, () -> false);
      }
      double used = cpuSeconds(spinner.pid()) + cpuSeconds(waiter.pid()) - usedBefore;
      recorder.stop();
      long lostInAll = recorder.lostCount();
      Map<String, Quality> found = new HashMap<>();
      try (Recording recording = recorder.finish(Map.of())) {
        for (Profile profile : recording.profiles()) {
          found.put(profile.mode(), profile.quality());
        }
      }
      for (String mode : modes) {
        Quality quality = found.get(mode);
        assertThat(quality.samples() + quality.lostTotal())
            .as("%s: %s", mode, quality)
            .isEqualTo(recorder.due(mode));
      }
      assertThat(found.get("cpu").lostTotal()).isPositive();
      assertThat(found.get("offcpu").lostTotal()).isPositive();
      assertThat(recorder.due("cpu") / (HERTZ * used)).as("by time").isCloseTo(1, within(0.15));
      assertThat(found.get("wall").lostTotal())
          .as("it is fed by two")
          .isEqualTo(found.get("cpu").lostTotal() + found.get("offcpu").lostTotal());
      assertThat(lostInAll).isEqualTo(found.values().stream().mapToLong(Quality::lostTotal).sum());
    }
  }

  private static RecordOptions options(List<String> modes, Integer... pids) {
    Target target = new Target(List.of(pids), List.of(), "", Optional.empty(), 0, 0, false, false);
    return new RecordOptions(modes, target, HERTZ, StackOptions.DEFAULT, WaitOptions.ALL, RING);
  }

  private static double cpuSeconds(int pid) {
    try (ProcReader reader = new ProcReader()) {
      ProcStat stat = ProcStat.read(reader, pid).orElseThrow();
      return (stat.userTicks() + stat.systemTicks()) / TICKS_PER_SECOND;
    }
  }
}
