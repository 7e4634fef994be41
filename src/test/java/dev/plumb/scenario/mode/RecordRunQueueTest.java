package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads that have to wait for a CPU. */
@RequiresRoot
class RecordRunQueueTest {
  @TempDir Path folder;

  @Test
  void threadsThatShareACpuWait() throws Exception {
    Path file = folder.resolve("out.plumb");
    try (Programs.Running running = fourOnOneCpu()) {
      String pid = "" + running.pid();
      PlumbCommand.Result result =
          PlumbCommand.run("record", "runq", "-p", pid, "-d", "2", "-o", file.toString());
      assertThat(result.code()).isZero();
      assertThat(result.err()).contains("WAITS").contains("█");
    }
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      double perSecond = profile.total(1) / (double) recording.durationNanos();
      // Of four threads three wait, and the fourth too while somebody else is on that CPU.
      assertThat(perSecond).isBetween(2.5, 4.0);
      assertThat(profile.labelSets())
          .allSatisfy(labels -> assertThat(labels.values()).containsKey("latency"))
          .anySatisfy(labels -> assertThat(labels.values()).containsEntry("after", "preemption"));
      assertThat(profile.quality().lost()).isEmpty();
    }
  }

  /** Four threads want CPU 0, whichever of them runs; and who else there is. */
  @Test
  void theQueueOfACpuIsAsLongAsThereAreThreads() throws Exception {
    Path file = folder.resolve("out.plumb");
    try (Programs.Running running = fourOnOneCpu()) {
      String pid = "" + running.pid();
      String[] command = {"record", "load", "-F", "199", "-d", "2", "-p", pid, "-o", file + ""};
      assertThat(PlumbCommand.run(command).code()).isZero();
    }
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      assertThat(profile.total(0)).as("looks").isGreaterThan(100);
      assertThat(profile.total(1) / (double) profile.total(0)).isBetween(3.9, 8.0);
      profile
          .timeline()
          .forEach((time, row, cpu, value) -> assertThat(cpu).as("where it is pinned").isZero());
    }
  }

  /** A thread that never sleeps runs or waits for a CPU: both together are the interval. */
  @Test
  void eachIntervalHasAResultOfItsOwn() throws Exception {
    Path file = folder.resolve("out.plumb");
    try (Programs.Running running = fourOnOneCpu()) {
      String pid = "" + running.pid();
      String[] command = {
        "record", "runq", "cpu", "-i", "1", "-d", "3", "-p", pid, "-o", file.toString()
      };
      assertThat(PlumbCommand.run(command).code()).isZero();
    }
    for (String part : List.of("1", "2", "3")) {
      try (Recording recording =
          Formats.read(folder.resolve("out." + part + ".plumb")).recording()) {
        double nanos = 0;
        for (Profile profile : recording.profiles()) {
          assertThat(profile.total(1)).as(profile.mode() + " in interval " + part).isPositive();
          nanos += profile.total(1);
        }
        assertThat(nanos / recording.durationNanos()).isCloseTo(4, withinPercentage(15));
      }
    }
  }

  private static Programs.Running fourOnOneCpu() throws InterruptedException {
    String spinner = Programs.compiled("spinner").toString();
    Programs.Running running =
        Programs.start(Path.of("taskset"), "-c", "0", spinner, "50", "4", "60");
    Thread.sleep(300); // all threads are there
    return running;
  }
}
