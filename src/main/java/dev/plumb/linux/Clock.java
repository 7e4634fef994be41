package dev.plumb.linux;

/**
 * How far the wall clock is ahead of the kernel's other clocks. This changes when the wall clock is
 * set or slewed, so a recording measures it repeatedly.
 *
 * @param monotonicOffset nanoseconds to add to CLOCK_MONOTONIC
 * @param bootOffset nanoseconds to add to CLOCK_BOOTTIME
 * @param error how far off the offsets may be
 */
public record Clock(long monotonicOffset, long bootOffset, long error) {
  private static final int TRIES = 16;

  /** Two reads this close were not interrupted; true even in a JVM that has just started. */
  private static final long CLOSE_NANOS = 20_000;

  /** CLOCK_MONOTONIC, which is the JVM's own clock on Linux. */
  public static long monotonic() {
    return System.nanoTime();
  }

  /** Both offsets, now. */
  public static Clock take() {
    long[] monotonic = bracket(SystemCalls.CLOCK_MONOTONIC);
    long[] boot = bracket(SystemCalls.CLOCK_BOOTTIME);
    return new Clock(monotonic[0], boot[0], Math.max(monotonic[1], boot[1]));
  }

  /** {@link #monotonicOffset} alone, now. */
  public static long takeMonotonicOffset() {
    return bracket(SystemCalls.CLOCK_MONOTONIC)[0];
  }

  /**
   * Reads the wall clock between two reads of the other clock and keeps the closest such pair,
   * because the thread may lose its CPU between reads. Returns the offset, and how far off it may
   * be.
   */
  private static long[] bracket(int clock) {
    long[] best = {0, Long.MAX_VALUE};
    for (int i = 0; i < TRIES && best[1] > CLOSE_NANOS; i++) {
      long before = SystemCalls.clockGettime(clock);
      long wall = SystemCalls.clockGettime(SystemCalls.CLOCK_REALTIME);
      long after = SystemCalls.clockGettime(clock);
      long error = (after - before + 1) / 2;
      if (error < best[1]) {
        best[0] = wall - (before + (after - before) / 2);
        best[1] = error;
      }
    }
    return best;
  }

  /** The wall clock at a CLOCK_MONOTONIC time. */
  public long wallOfMonotonic(long nanos) {
    return nanos + monotonicOffset;
  }

  /** The wall clock at a CLOCK_BOOTTIME time, such as a process's start. */
  public long wallOfBoot(long nanos) {
    return nanos + bootOffset;
  }

  public long monotonicOfWall(long nanos) {
    return nanos - monotonicOffset;
  }
}
