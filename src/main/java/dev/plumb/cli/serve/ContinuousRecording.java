package dev.plumb.cli.serve;

import dev.plumb.cli.run.HandOver;
import dev.plumb.cli.run.RecordingLoop;
import dev.plumb.cli.run.RecordingLoop.Cut;
import dev.plumb.collect.ProcessPriority;
import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.profile.Recording;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A recording that goes on for days: hands over a result per interval. If the taker is slow, the
 * intervals grow longer; nothing is lost before the kernel's ring buffer is full.
 */
final class ContinuousRecording implements AutoCloseable {
  private static final long WAIT_NANOS = 200_000_000;

  /** How much longer an interval may become while stacks wait for their unwind tables. */
  private static final long PATIENCE = 5_000_000_000L;

  private final long intervalNanos;
  private final HandOver handOver;
  private final ProcessPriority priority = new ProcessPriority();
  private final RecordingLoop loop;

  /** Loads what is needed; nothing is recorded yet. */
  ContinuousRecording(
      RecordOptions options,
      long intervalNanos,
      Supplier<Map<String, String>> facts,
      Consumer<Recording> taker) {
    this.intervalNanos = intervalNanos;
    this.handOver = new HandOver(taker);
    this.loop = new RecordingLoop(options, priority, facts);
  }

  /**
   * Records until it is told to end.
   *
   * @param started is run when samples come
   */
  void run(Runnable started, BooleanSupplier done) {
    handOver.start();
    try {
      loop.start();
      started.run();
      loop.run(new Intervals(done));
    } finally {
      priority.close();
      handOver.end();
    }
  }

  /** Cuts after each interval, or when the taker is ready again. */
  private final class Intervals implements RecordingLoop.Plan {
    private final BooleanSupplier done;
    private boolean waits;

    Intervals(BooleanSupplier done) {
      this.done = done;
    }

    @Override
    public boolean isOver() {
      return done.getAsBoolean() || handOver.hasFailed();
    }

    @Override
    public long stepNanos() {
      return waits ? WAIT_NANOS : intervalNanos;
    }

    @Override
    public boolean cutsWhenFull() {
      return !handOver.isBehind();
    }

    @Override
    public Cut next(boolean isOver) {
      waits = !isOver && mustWait();
      return waits ? Cut.NOTHING : Cut.RESULT;
    }

    /** For the taker, or for the unwind tables of stacks. */
    private boolean mustWait() {
      Recorder recorder = loop.recorder();
      return handOver.isBehind()
          || recorder.isBehind()
              && !recorder.isNearlyFull()
              && recorder.elapsedNanos() < intervalNanos + PATIENCE;
    }

    @Override
    public void take(Recording recording, Cut cut) {
      handOver.put(recording);
    }
  }

  @Override
  public void close() {
    loop.close();
  }
}
