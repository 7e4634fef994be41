package dev.plumb.store;

/** Wall-clock nanoseconds, from the first that counts to the first that no longer does. */
public record TimeRange(long fromNanos, long toNanos) {
  public static final TimeRange ALL = new TimeRange(0, Long.MAX_VALUE);

  public TimeRange {
    if (fromNanos > toNanos) {
      throw new IllegalArgumentException("the time range ends before it begins");
    }
  }

  public boolean contains(long timeNanos) {
    return timeNanos >= fromNanos && timeNanos < toNanos;
  }
}
