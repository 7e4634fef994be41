package dev.plumb.export.wire;

import java.util.Arrays;

/** A list of longs without boxing. */
public final class LongList {
  private long[] values = new long[16];
  private int size;

  public void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  public void addToLast(long value) {
    values[size - 1] += value;
  }

  public long get(int index) {
    return values[index];
  }

  public int size() {
    return size;
  }
}
