package dev.plumb.collect;

import dev.plumb.linux.SystemCalls;
import java.util.Map;
import java.util.TreeMap;

/**
 * From CLOCK_MONOTONIC, which the kernel stamps with, to the wall clock. The difference is taken
 * again and again while recording, so that a step of the wall clock moves only what came after it.
 */
final class ClockOffsets {
  private static final long STEP_NANOS = 1_000_000;

  private final TreeMap<Long, Long> offsets = new TreeMap<>();

  ClockOffsets() {
    take();
  }

  /** Measures the difference now. */
  void take() {
    long before = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long wall = SystemCalls.clockGettime(SystemCalls.CLOCK_REALTIME);
    long after = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long offset = wall - (before + (after - before) / 2);
    if (offsets.isEmpty() || Math.abs(offsets.lastEntry().getValue() - offset) > STEP_NANOS) {
      offsets.put(before, offset);
    }
  }

  /** The wall clock's nanoseconds at a monotonic time. */
  long wall(long monotonic) {
    Map.Entry<Long, Long> entry = offsets.floorEntry(monotonic);
    return monotonic + (entry == null ? offsets.firstEntry() : entry).getValue();
  }
}
