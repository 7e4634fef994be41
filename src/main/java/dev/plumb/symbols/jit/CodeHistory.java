package dev.plumb.symbols.jit;

import java.util.Arrays;

/**
 * Which piece of code was at an address at a time: over time, several pieces may have been at one
 * address. The entries are columns in the order of arrival. On top is an interval tree: an array of
 * entries sorted by start, and for each place in it the furthest end of the entries below.
 */
final class CodeHistory {
  static final int BYTES_PER_ENTRY = 8 + 4 + 8 + 8 + 4 + 4 + 4 + 4 + 8;

  /** The maximum number of pieces examined for one address; no compiler makes so many. */
  private static final int MAX_VISITS = 20_000;

  /** Some compilers report their code a moment after it began to run. */
  private static final long LATE_NANOS = 1_000_000_000L;

  private static final int FIRST_CAPACITY = 256;

  private long[] starts = {};
  private int[] sizes = {};
  private long[] times = {};
  private long[] ends = {};
  private int[] loads = {};
  private int[] lines = {};
  private int[] indexes = {};
  private int count;

  private int[] order = {};
  private long[] furthest = {};
  private int sorted;

  private int visits;
  private int best;

  int count() {
    return count;
  }

  long bytes() {
    return (long) BYTES_PER_ENTRY * starts.length;
  }

  /**
   * Adds a piece of code.
   *
   * @param load where its record is in the file
   * @param line where the record of its source lines is in the file, or 0
   * @param index the number that the compiler gave it, to find it again when it moves
   */
  void add(long start, int size, long time, int load, int line, int index) {
    if (count == starts.length) {
      grow();
    }
    starts[count] = start;
    sizes[count] = size;
    times[count] = time;
    ends[count] = Long.MAX_VALUE;
    loads[count] = load;
    lines[count] = line;
    indexes[count++] = index;
  }

  private void grow() {
    int capacity = Math.max(FIRST_CAPACITY, count + count / 2);
    starts = Arrays.copyOf(starts, capacity);
    sizes = Arrays.copyOf(sizes, capacity);
    times = Arrays.copyOf(times, capacity);
    ends = Arrays.copyOf(ends, capacity);
    loads = Arrays.copyOf(loads, capacity);
    lines = Arrays.copyOf(lines, capacity);
    indexes = Arrays.copyOf(indexes, capacity);
    order = Arrays.copyOf(order, capacity);
    furthest = Arrays.copyOf(furthest, capacity);
  }

  long start(int entry) {
    return starts[entry];
  }

  int size(int entry) {
    return sizes[entry];
  }

  int index(int entry) {
    return indexes[entry];
  }

  int load(int entry) {
    return loads[entry];
  }

  int line(int entry) {
    return lines[entry];
  }

  /** From that time on, the entry's code is elsewhere. */
  void end(int entry, long time) {
    ends[entry] = time;
  }

  /**
   * The entry at an address at a time: the latest one that came before and had not moved away; else
   * one that came within the second after. -1 if there is none.
   */
  int find(long processAddress, long time) {
    sort();
    visits = 0;
    best = -1;
    visit(0, count, processAddress, Math.min(time, Long.MAX_VALUE - 1)); // no end is later
    return best;
  }

  private void visit(int low, int high, long address, long time) {
    int middle = (low + high) >>> 1;
    if (low >= high || furthest[middle] <= address || visits > MAX_VISITS) {
      return;
    }
    int entry = order[middle];
    if (starts[entry] <= address) {
      visit(middle + 1, high, address, time);
      visits++;
      if (address - starts[entry] < sizes[entry] && isBetter(entry, time)) {
        best = entry;
      }
    }
    visit(low, middle, address, time);
  }

  private boolean isBetter(int entry, long time) {
    if (ends[entry] <= time || times[entry] > time && times[entry] - time > LATE_NANOS) {
      return false;
    }
    if (best < 0) {
      return true;
    }
    boolean late = times[entry] > time;
    boolean bestIsLate = times[best] > time;
    if (late || bestIsLate) {
      return bestIsLate && (!late || times[entry] < times[best]);
    }
    return times[entry] > times[best] || times[entry] == times[best] && entry > best;
  }

  private void sort() {
    if (sorted == count) {
      return;
    }
    int[] fresh = new int[count - sorted];
    for (int i = 0; i < fresh.length; i++) {
      fresh[i] = sorted + i;
    }
    sort(fresh);
    // From the back, so that the sorted part need not be copied first.
    int old = sorted - 1;
    int next = fresh.length - 1;
    for (int i = count - 1; next >= 0; i--) {
      boolean takeOld = old >= 0 && starts[order[old]] > starts[fresh[next]];
      order[i] = takeOld ? order[old--] : fresh[next--];
    }
    sorted = count;
    furthest(0, count);
  }

  /** Sorts by start: merges runs of one, of two, of four, … */
  private void sort(int[] entries) {
    int[] from = entries;
    int[] to = new int[entries.length];
    for (int width = 1; width < entries.length; width *= 2) {
      for (int low = 0; low < entries.length; low += 2 * width) {
        int middle = Math.min(low + width, entries.length);
        merge(from, low, middle, Math.min(middle + width, entries.length), to);
      }
      int[] swap = from;
      from = to;
      to = swap;
    }
    if (from != entries) {
      System.arraycopy(from, 0, entries, 0, entries.length);
    }
  }

  private void merge(int[] from, int low, int middle, int high, int[] to) {
    int left = low;
    int right = middle;
    for (int i = low; i < high; i++) {
      boolean takeRight =
          left == middle || right < high && starts[from[right]] < starts[from[left]];
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }

  private long furthest(int low, int high) {
    if (low >= high) {
      return Long.MIN_VALUE;
    }
    int middle = (low + high) >>> 1;
    int entry = order[middle];
    long below = Math.max(furthest(low, middle), furthest(middle + 1, high));
    furthest[middle] = Math.max(starts[entry] + sizes[entry], below);
    return furthest[middle];
  }
}
