package dev.plumb.cli.record;

import dev.plumb.cli.run.HandOver;
import dev.plumb.cli.run.RecordingLoop;
import dev.plumb.cli.run.RecordingLoop.Cut;
import dev.plumb.collect.Recorder;
import dev.plumb.profile.Recording;
import java.util.function.BooleanSupplier;

/**
 * When {@code record} cuts: a part about twice per second, so that little is lost if Plumb is
 * killed, and a result per interval.
 */
final class RecordPlan implements RecordingLoop.Plan {
  /** Parts go to disk after about this long; those of a long recording, later. */
  private static final long LEAST_PART_NANOS = 500_000_000;

  private static final long MOST_PART_NANOS = 10_000_000_000L;

  /** How long a part waits for the unwind tables of its stacks. */
  private static final long PATIENCE = 5_000_000_000L;

  private final Recorder recorder;
  private final HandOver handOver;
  private final Runnable intervalEnded;
  private final BooleanSupplier done;
  private final boolean namesComeLate;
  private final long intervalNanos;
  private final long start;
  private final long end;
  private long intervalEnd;

  /**
   * A recording that has started.
   *
   * @param intervalEnded is run when all of an interval is handed over
   * @param namesComeLate whether servers are asked for names at the end: until then the recording
   *     stays in memory if it fits
   */
  RecordPlan(
      Recorder recorder,
      HandOver handOver,
      Runnable intervalEnded,
      BooleanSupplier done,
      boolean namesComeLate,
      long durationNanos,
      long intervalNanos) {
    this.recorder = recorder;
    this.handOver = handOver;
    this.intervalEnded = intervalEnded;
    this.done = done;
    this.namesComeLate = namesComeLate;
    this.intervalNanos = intervalNanos;
    this.start = System.nanoTime() - recorder.elapsedNanos();
    this.end = start + Math.min(durationNanos, Long.MAX_VALUE / 2);
    this.intervalEnd = start + Math.min(intervalNanos, Long.MAX_VALUE / 2);
  }

  @Override
  public boolean isOver() {
    return System.nanoTime() >= end || done.getAsBoolean();
  }

  @Override
  public long stepNanos() {
    long now = System.nanoTime();
    return Math.min(partNanos(now - start), Math.min(end, intervalEnd) - now);
  }

  /** Half a second at first; the longer a recording is, the less its end matters. */
  private static long partNanos(long elapsed) {
    return Math.clamp(elapsed / 64, LEAST_PART_NANOS, MOST_PART_NANOS);
  }

  @Override
  public boolean cutsWhenFull() {
    return !handOver.isBehind();
  }

  @Override
  public Cut next(boolean isOver) {
    long now = System.nanoTime();
    long left = end - now;
    if (now >= intervalEnd && left <= intervalNanos / 2) {
      intervalEnd = end; // what is left is too short for a result of its own
    }
    if (isOver) {
      return Cut.NOTHING;
    }
    if (now >= intervalEnd) {
      return Cut.RESULT;
    }
    boolean part = left >= LEAST_PART_NANOS && !handOver.isBehind() && isComplete();
    return part ? Cut.PART : Cut.NOTHING;
  }

  /** Whether a longer part would not have more complete stacks or more names, or is too large. */
  private boolean isComplete() {
    boolean waits = namesComeLate || recorder.isBehind() && recorder.elapsedNanos() < PATIENCE;
    return !waits || recorder.isLarge();
  }

  @Override
  public void take(Recording recording, Cut cut) {
    handOver.put(recording);
    if (cut == Cut.RESULT) {
      handOver.run(intervalEnded);
      intervalEnd += intervalNanos;
    }
  }
}
