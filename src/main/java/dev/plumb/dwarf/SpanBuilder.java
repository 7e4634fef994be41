package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfException;
import java.util.Arrays;

/**
 * Makes {@link Spans} from ranges that may overlap: where they do, the one with the highest rank
 * wins; among equal ranks, the one with the largest number.
 */
final class SpanBuilder {
  private final CodeSpace space;
  private final int most;

  /** Start in the upper half, number of the range in the lower. */
  private long[] keys = new long[64];

  private int[] ends = new int[64];
  private int[] values = new int[64];
  private int[] ranks = new int[64];
  private int count;

  /** Ranges that contain the current place, the winner first; a binary heap. */
  private int[] heap = {};

  private int heapSize;
  private int[] outStarts = {};
  private int[] outValues = {};
  private int outCount;

  /** For ranges in {@code space}, no more than {@code most}. */
  SpanBuilder(CodeSpace space, int most) {
    this.space = space;
    this.most = most;
  }

  /** Adds a range of ELF addresses; ignores one that does not start in the space. */
  void add(long low, long high, int value, int rank) {
    long start = space.offset(low);
    if (start < 0 || high - low <= 0) {
      return;
    }
    if (count == most) {
      throw new DwarfException("too many ranges");
    }
    if (count == ends.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
      ranks = Arrays.copyOf(ranks, 2 * count);
    }
    keys[count] = start << 32 | count;
    ends[count] = (int) (start + Math.min(high - low, space.size() - start));
    ranks[count] = rank;
    values[count++] = value;
  }

  Spans build() {
    Arrays.sort(keys, 0, count);
    outStarts = new int[Math.max(16, count + count / 2)];
    outValues = new int[outStarts.length];
    heap = new int[16];
    long place = 0;
    for (int i = 0; i < count; i++) {
      long start = keys[i] >>> 32;
      advance(place, start);
      place = start;
      push((int) keys[i]);
    }
    advance(place, Long.MAX_VALUE);
    return new Spans(Arrays.copyOf(outStarts, outCount), Arrays.copyOf(outValues, outCount));
  }

  /** Writes the winners from one place up to another. */
  private void advance(long from, long to) {
    long place = from;
    while (place < to) {
      while (heapSize > 0 && end(heap[0]) <= place) {
        pop();
      }
      if (heapSize == 0) {
        if (outCount > 0) {
          write(place, Spans.NONE);
        }
        return;
      }
      write(place, values[heap[0]]);
      place = Math.min(to, end(heap[0]));
    }
  }

  private long end(int range) {
    return Integer.toUnsignedLong(ends[range]);
  }

  private void write(long start, int value) {
    if (outCount > 0 && outValues[outCount - 1] == value) {
      return;
    }
    if (outCount == outStarts.length) {
      outStarts = Arrays.copyOf(outStarts, outCount + outCount / 2);
      outValues = Arrays.copyOf(outValues, outStarts.length);
    }
    outStarts[outCount] = (int) start;
    outValues[outCount++] = value;
  }

  private boolean less(int a, int b) {
    return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : values[a] < values[b];
  }

  private void push(int range) {
    if (heapSize == heap.length) {
      heap = Arrays.copyOf(heap, 2 * heapSize);
    }
    int at = heapSize++;
    while (at > 0 && less(heap[(at - 1) / 2], range)) {
      heap[at] = heap[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap[at] = range;
  }

  private void pop() {
    int last = heap[--heapSize];
    int at = 0;
    while (2 * at + 1 < heapSize) {
      int child = 2 * at + 1;
      if (child + 1 < heapSize && less(heap[child], heap[child + 1])) {
        child++;
      }
      if (!less(last, heap[child])) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
  }
}
