package dev.plumb.cli.record;

import dev.plumb.cli.text.Terminal;
import dev.plumb.collect.Recorder;

/** The progress line; nothing if standard error is no terminal. */
final class Progress implements AutoCloseable {
  private static final long EVERY_NANOS = 200_000_000;

  private final Recorder recorder;
  private final long durationNanos;
  private final boolean shown;
  private final long start = System.nanoTime();
  private long next = start;

  Progress(Recorder recorder, long durationNanos, boolean quiet) {
    this.recorder = recorder;
    this.durationNanos = durationNanos;
    this.shown = !quiet && Terminal.isStandardError();
  }

  void show() {
    long now = System.nanoTime();
    if (!shown || now < next) {
      return;
    }
    next = now + EVERY_NANOS;
    String time = "%.1f s".formatted((now - start) / 1e9);
    if (durationNanos != RecordCommand.UNTIL_TOLD) {
      time += " of %.0f s".formatted(durationNanos / 1e9);
    }
    long lost = recorder.lostCount();
    System.err.printf(
        "\r\033[Krecording %s · %,d samples%s · Ctrl-C to stop and save",
        time, recorder.sampleCount(), lost == 0 ? "" : " · %,d lost".formatted(lost));
    System.err.flush();
  }

  @Override
  public void close() {
    if (shown) {
      System.err.print("\r\033[K");
      System.err.flush();
    }
  }
}
