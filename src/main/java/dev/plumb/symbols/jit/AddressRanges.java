package dev.plumb.symbols.jit;

import java.util.Arrays;

/**
 * Address ranges that do not overlap, in order, 16 bytes each. Each has a number: where its name is
 * in a file.
 */
final class AddressRanges {
  static final int BYTES_PER_RANGE = 16;

  private static final int MIN_CAPACITY = 64;

  private long[] starts;
  private int[] sizes;
  private int[] numbers;
  private int count;

  AddressRanges(int capacity) {
    starts = new long[capacity];
    sizes = new int[capacity];
    numbers = new int[capacity];
  }

  int count() {
    return count;
  }

  void clear() {
    count = 0;
  }

  long start(int i) {
    return starts[i];
  }

  long end(int i) {
    return starts[i] + sizes[i];
  }

  int number(int i) {
    return numbers[i];
  }

  long bytes() {
    return (long) BYTES_PER_RANGE * starts.length;
  }

  /** Appends a range. */
  void add(long start, int size, int number) {
    if (count == starts.length) {
      resize(Math.max(MIN_CAPACITY, count + count / 2));
    }
    starts[count] = start;
    sizes[count] = size;
    numbers[count++] = number;
  }

  /** The range that contains an address, or -1. */
  int find(long address) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (starts[middle] > address) {
        high = middle - 1;
      } else if (address - starts[middle] < sizes[middle]) {
        return middle;
      } else {
        low = middle + 1;
      }
    }
    return -1;
  }

  /** Gives back unused memory. */
  void trim() {
    if (count < starts.length) {
      resize(count);
    }
  }

  private void resize(int capacity) {
    starts = Arrays.copyOf(starts, capacity);
    sizes = Arrays.copyOf(sizes, capacity);
    numbers = Arrays.copyOf(numbers, capacity);
  }

  /**
   * Adds a part of {@code newer} laid over a part of {@code older}: older ranges keep only what
   * remains visible. It adds at most {@code older + 2 * newer} ranges; of n ranges laid over each
   * other one by one, never more than 2 n - 1 are visible.
   */
  void addLaidOver(
      AddressRanges older,
      int olderFrom,
      int olderTo,
      AddressRanges newer,
      int newerFrom,
      int newerTo) {
    int i = olderFrom;
    long done = Long.MIN_VALUE;
    for (int j = newerFrom; j < newerTo; j++) {
      i = addBefore(older, i, olderTo, done, newer.starts[j]);
      add(newer.starts[j], newer.sizes[j], newer.numbers[j]);
      done = newer.end(j);
    }
    addBefore(older, i, olderTo, done, Long.MAX_VALUE);
  }

  /** Adds what older ranges have between two addresses; returns the first that reaches further. */
  private int addBefore(AddressRanges older, int first, int to, long done, long limit) {
    int i = first;
    while (i < to && older.starts[i] < limit) {
      long end = older.end(i);
      long from = Math.max(older.starts[i], done);
      long until = Math.min(end, limit);
      if (from < until) {
        add(from, (int) (until - from), older.numbers[i]);
      }
      if (end > limit) {
        return i;
      }
      i++;
    }
    return i;
  }
}
