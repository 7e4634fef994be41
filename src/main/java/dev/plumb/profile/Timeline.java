package dev.plumb.profile;

/**
 * When each row of a profile was seen, in the order of recording (nearly that of time).
 *
 * <p>Closing gives back what a timeline holds outside the heap; a closed one is not read again.
 */
public interface Timeline extends AutoCloseable {
  Timeline EMPTY = new Empty();

  long size();

  void forEach(Visitor visitor);

  @Override
  default void close() {}

  /** Takes one timed sample; {@code value} counts in the profile's main type. */
  @FunctionalInterface
  interface Visitor {
    void sample(long timeNanos, int row, int cpu, long value);
  }

  /** Of formats that keep no times. */
  final class Empty implements Timeline {
    private Empty() {}

    @Override
    public long size() {
      return 0;
    }

    @Override
    public void forEach(Visitor visitor) {}
  }
}
