package dev.plumb.cli.serve;

import dev.plumb.cli.run.HandOver;
import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.linux.SystemCalls;
import dev.plumb.profile.Recording;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Records all the time, and hands over what came in each interval. Where whoever takes it is slow,
 * intervals grow longer; nothing is lost before the kernel's ring is full.
 */
final class Watch implements AutoCloseable {
  private static final long WAIT_NANOS = 200_000_000;
  private static final long PATIENCE = 5_000_000_000L;

  private final Recorder recorder;
  private final long intervalNanos;
  private final Supplier<Map<String, String>> facts;
  private final HandOver handOver;

  /** Loads what is needed; nothing is watched yet. */
  Watch(
      RecordOptions options,
      long intervalNanos,
      Supplier<Map<String, String>> facts,
      Consumer<Recording> taker) {
    this.recorder = Recorder.forLong(options);
    this.intervalNanos = intervalNanos;
    this.facts = facts;
    this.handOver = new HandOver(taker);
  }

  /** The modes that are not possible here, and why. */
  Map<String, String> refused() {
    return recorder.refused();
  }

  /**
   * Watches until it is told to end.
   *
   * @param started is run when samples come
   */
  void run(Runnable started, BooleanSupplier done) {
    int nice = SystemCalls.niceValue();
    handOver.start();
    try {
      recorder.start();
      started.run();
      Recorder.goFirst();
      while (!done.getAsBoolean() && !handOver.hasFailed()) {
        recorder.runFor(intervalNanos, () -> done.getAsBoolean() || recorder.isNearlyFull());
        while (mustWait() && !done.getAsBoolean()) {
          recorder.runFor(WAIT_NANOS, done);
        }
        handOver.put(recorder.cut(facts.get()));
      }
    } finally {
      SystemCalls.trySetNice(nice);
      handOver.end();
    }
  }

  /** For whoever takes what was recorded, or for tables of stacks that have yet to be unwound. */
  private boolean mustWait() {
    return handOver.isBehind()
        || recorder.isBehind()
            && !recorder.isNearlyFull()
            && recorder.elapsedNanos() < intervalNanos + PATIENCE;
  }

  @Override
  public void close() {
    recorder.close();
  }
}
