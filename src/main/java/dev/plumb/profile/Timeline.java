package dev.plumb.profile;

/**
 * When each row of a profile was seen, in order of recording, which is nearly order of time.
 *
 * <p>Closing frees what a timeline holds outside the heap; a closed timeline must not be read.
 */
public interface Timeline extends AutoCloseable {
  Timeline EMPTY = new Empty();

  long size();

  void forEach(Visitor visitor);

  @Override
  default void close() {}

  /** Receives a sample with its time; {@code value} is of the profile's main type. */
  @FunctionalInterface
  interface Visitor {
    void sample(long timeNanos, int row, int cpu, long value);
  }

  /** The timeline of formats without timestamps. */
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
