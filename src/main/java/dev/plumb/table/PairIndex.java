package dev.plumb.table;

/** Numbers distinct pairs of ints from 0 in order of appearance, for example nodes of trees. */
public final class PairIndex {
  /** The first int in the upper half, so that one access finds both. */
  private final LongIndex pairs;

  public PairIndex() {
    this(new LongIndex());
  }

  private PairIndex(LongIndex pairs) {
    this.pairs = pairs;
  }

  /** Reserves space for this many pairs. */
  public void reserve(int expected) {
    pairs.reserve(expected);
  }

  /** The pair's number; a new one for a new pair. */
  public int add(int first, int second) {
    return pairs.add(pair(first, second));
  }

  /** Numbers a pair that is known to be new; {@link #add} will not find it. */
  public int append(int first, int second) {
    return pairs.append(pair(first, second));
  }

  private static long pair(int first, int second) {
    return (long) first << 32 | Integer.toUnsignedLong(second);
  }

  public int size() {
    return pairs.size();
  }

  public int first(int number) {
    return (int) (pairs.key(number) >>> 32);
  }

  public int second(int number) {
    return (int) pairs.key(number);
  }

  /** A copy to which no pairs can be added. */
  public PairIndex copy() {
    return new PairIndex(pairs.copy());
  }

  /** Frees the index: no more pairs can be added. */
  public void complete() {
    pairs.complete();
  }
}
