package dev.plumb.collect.raw;

import dev.plumb.linux.Clock;
import java.util.Map;
import java.util.TreeMap;

/**
 * Converts CLOCK_MONOTONIC, which the kernel uses for timestamps, to wall-clock time. The
 * difference is measured again and again during a recording, so that a step of the wall clock
 * affects only what comes after it. Thread-safe, because parts that were cut off are read while
 * recording goes on.
 */
public final class ClockOffsets {
  public static final long SECOND_NANOS = 1_000_000_000;
  private static final long STEP_NANOS = 1_000_000;

  private final TreeMap<Long, Long> offsets = new TreeMap<>();

  public ClockOffsets() {
    take();
  }

  /** Measures the difference now. */
  public void take() {
    long now = Clock.monotonic();
    note(now, Clock.takeMonotonicOffset());
  }

  /** Keeps a measured difference if it has changed. */
  synchronized void note(long now, long offset) {
    if (offsets.isEmpty() || Math.abs(offsets.lastEntry().getValue() - offset) > STEP_NANOS) {
      offsets.put(now, offset);
    }
  }

  /** The monotonic time at which the wall-clock second began that contains a monotonic time. */
  public long startOfSecond(long monotonic) {
    return monotonic - Math.floorMod(wall(monotonic), SECOND_NANOS);
  }

  /** The wall-clock time in nanoseconds at a monotonic time. */
  public synchronized long wall(long monotonic) {
    Map.Entry<Long, Long> entry = offsets.floorEntry(monotonic);
    return monotonic + (entry == null ? offsets.firstEntry() : entry).getValue();
  }
}
