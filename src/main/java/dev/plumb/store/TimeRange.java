package dev.plumb.store;

/** A half-open range of wall-clock time in nanoseconds: {@code to} is the first one outside. */
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
