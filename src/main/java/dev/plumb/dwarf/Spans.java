package dev.plumb.dwarf;

/**
 * A map from ranges that do not overlap to numbers: the number of each start (an unsigned offset)
 * applies up to the next start; -1 stands for none.
 */
record Spans(int[] starts, int[] values) {
  static final int NONE = -1;

  /** The number at an offset. */
  int find(long offset) {
    int low = 0;
    int high = starts.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Integer.toUnsignedLong(starts[middle]) <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high < 0 ? NONE : values[high];
  }

  long bytes() {
    return 32 + 8L * starts.length;
  }
}
