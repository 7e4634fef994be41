package dev.plumb.export;

import java.util.Arrays;

/** Longs without boxes. */
final class LongList {
  private long[] values = new long[16];
  private int size;

  void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  void addToLast(long value) {
    values[size - 1] += value;
  }

  long get(int index) {
    return values[index];
  }

  int size() {
    return size;
  }
}
