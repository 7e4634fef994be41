package dev.plumb.dwarf;

/**
 * Address → file and line, made by a line program. Sequences are runs of rows by ascending address;
 * each row applies up to the next one, the last one up to the end of its sequence.
 *
 * @param sequenceEnds ascending, unsigned
 * @param sequenceStarts the first address of each sequence
 * @param firstRows of each sequence, and one more for the end
 * @param rowStarts unsigned
 */
record LineTable(
    int[] sequenceEnds,
    int[] sequenceStarts,
    int[] firstRows,
    int[] lastRows,
    int[] rowStarts,
    int[] rowFiles,
    int[] rowLines,
    LineFiles files) {
  /** The row that applies at an offset, or -1. */
  int find(long offset) {
    int low = 0;
    int high = sequenceEnds.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Integer.toUnsignedLong(sequenceEnds[middle]) > offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (low == sequenceEnds.length || Integer.toUnsignedLong(sequenceStarts[low]) > offset) {
      return -1;
    }
    int first = firstRows[low];
    int last = lastRows[low] - 1;
    while (first < last) {
      int middle = (first + last + 1) >>> 1;
      if (Integer.toUnsignedLong(rowStarts[middle]) <= offset) {
        first = middle;
      } else {
        last = middle - 1;
      }
    }
    return first;
  }

  String path(int row) {
    return files.path(Integer.toUnsignedLong(rowFiles[row]));
  }

  int line(int row) {
    return rowLines[row];
  }

  long bytes() {
    return 200 + 16L * sequenceEnds.length + 12L * rowStarts.length + files.bytes();
  }
}
