package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Waiting for a CPU, against the kernel's own account of it. */
@RequiresRoot
@OnEveryKernel
class RecordSchedstatTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void waitsAreWhatTheKernelCounts() throws Exception {
    int threads = 2 + Runtime.getRuntime().availableProcessors();
    try (Programs.Running running =
        Programs.start(Programs.compiled("spinner"), "50", "" + threads, "600")) {
      Thread.sleep(300); // all threads are there, and have left a CPU before
      Target target =
          new Target(List.of(running.pid()), List.of(), "", Optional.empty(), 0, 0, false, false);
      RecordOptions options =
          new RecordOptions(
              List.of("runq"), target, 99, StackOptions.DEFAULT, WaitOptions.ALL, 4 << 20);
      try (Recorder recorder = new Recorder(options)) {
        recorder.start();
        long before = delayNanos(running.pid());
        long start = System.nanoTime();
        recorder.runFor(SECOND, () -> false);
        double looked = System.nanoTime() - start;
        double delay = delayNanos(running.pid()) - before;
        recorder.stop();
        try (Recording recording = recorder.finish(Map.of())) {
          // More threads than CPUs; who waits at the start or the end is counted by one side only,
          // and an emulated CPU is slow to get from one to the other.
          assertThat(delay).isGreaterThan(5e8);
          // It records a bit longer than anybody looks here.
          double share = delay / looked;
          double recorded = (double) recording.main().total(1) / recording.durationNanos();
          assertThat(recorded / share).isBetween(0.85, 1.2);
          assertThat(recording.main().quality().lost()).isEmpty();
        }
      }
    }
  }

  /** The second number of schedstat: how long a thread has waited on run queues. */
  private static long delayNanos(int pid) {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return tasks.mapToLong(RecordSchedstatTest::delayOfTask).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long delayOfTask(Path task) {
    try {
      return Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
