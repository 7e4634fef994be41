package dev.plumb.server.api;

import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Programs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The whole machine recorded, on and off its CPUs, while a program that is known spins: first most
 * of its time in one function, then in another; and one that waits beside it.
 */
final class RealData {
  private RealData() {}

  /** Twice as many seconds: a half for each function. */
  static Recording record(int seconds) throws Exception {
    Path spinner = Programs.compiled("spinner");
    Path waiter = Programs.compiled("waiter");
    RecordOptions options =
        new RecordOptions(
            List.of("cpu", "offcpu"),
            Target.EVERYTHING,
            199,
            StackOptions.DEFAULT,
            WaitOptions.ALL,
            4 << 20);
    try (Recorder recorder = new Recorder(options);
        Programs.Running waiting = Programs.start(waiter, "pipe", "10000", "20")) {
      recorder.start();
      try (Programs.Running mostlyA = Programs.start(spinner, "90", "2", "600")) {
        recorder.runFor(seconds * 1_000_000_000L, () -> false);
      }
      try (Programs.Running mostlyB = Programs.start(spinner, "10", "2", "600")) {
        recorder.runFor(seconds * 1_000_000_000L, () -> false);
      }
      recorder.stop();
      return recorder.finish(Map.of("host", "test-host"));
    }
  }
}
