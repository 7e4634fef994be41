package dev.plumb.symbols.jit;

import java.util.Arrays;

/**
 * Collects ranges in the order in which they were written, then sorts them by address, later ones
 * on top. Its memory is reused for the next file.
 */
final class AddressRangeBatch {
  static final int SIZE = 1 << 15;

  private AddressRanges from = new AddressRanges(0);
  private AddressRanges to = new AddressRanges(0);

  /** The end of each run of ranges that are already in order. */
  private int[] ends = new int[64];

  private int runs;

  boolean isFull() {
    return from.count() == SIZE;
  }

  boolean isEmpty() {
    return from.count() == 0;
  }

  int count() {
    return from.count();
  }

  void clear() {
    from.clear();
    runs = 0;
  }

  void add(long start, int size, int number) {
    int count = from.count();
    if (count == 0 || start < from.end(count - 1)) {
      runs++;
      ends = runs > ends.length ? Arrays.copyOf(ends, 2 * runs) : ends;
    }
    from.add(start, size, number);
    ends[runs - 1] = count + 1;
  }

  /** Returns everything added, laid over {@code older}, and empties this batch. */
  AddressRanges laidOver(AddressRanges older) {
    while (runs > 1) {
      mergePairs();
    }
    AddressRanges all =
        new AddressRanges(older.count() + 2 * from.count()); // the most that can be visible
    all.addLaidOver(older, 0, older.count(), from, 0, from.count());
    clear();
    return all;
  }

  private void mergePairs() {
    to.clear();
    int merged = 0;
    int start = 0;
    for (int run = 0; run < runs; run += 2) {
      int middle = ends[run];
      int end = run + 1 < runs ? ends[run + 1] : middle;
      to.addLaidOver(from, start, middle, from, middle, end);
      ends[merged++] = to.count();
      start = end;
    }
    runs = merged;
    AddressRanges swap = from;
    from = to;
    to = swap;
  }
}
