package dev.plumb.collect;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.ValueType;
import java.util.Arrays;
import java.util.List;

/**
 * What one mode has measured so far: rows of {stack, thread, detail} that add up, and when each was
 * seen. Numbers refer to {@link RawStacks}, {@link RawThreads} and the mode's own details.
 */
final class RawProfile {
  /** What the numbers are; see {@link dev.plumb.profile.Profile}. */
  record Meaning(
      String mode,
      String name,
      List<ValueType> types,
      int mainType,
      ValueType periodType,
      long period) {}

  private final Meaning meaning;
  private final CompactTimelineBuilder timeline;
  private int rows;
  private long samples;
  private int[] stack = new int[1024];
  private int[] thread = new int[1024];
  private int[] detail = new int[1024];
  private long[] count = new long[1024];
  private long[] sum = new long[1024];

  /** Open addressing over rows + 1; grown at half full. */
  private int[] slots = new int[4096];

  RawProfile(Meaning meaning) {
    this.meaning = meaning;
    this.timeline = CompactTimeline.builder();
  }

  void add(long time, int stackNumber, int threadNumber, int detailNumber, int cpu, long value) {
    int row = row(stackNumber, threadNumber, detailNumber);
    samples++;
    count[row]++;
    sum[row] += value;
    timeline.append(time, row, cpu, value);
  }

  private int row(int stackNumber, int threadNumber, int detailNumber) {
    int slot = slotOf(stackNumber, threadNumber, detailNumber);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (rows == stack.length) {
      stack = Arrays.copyOf(stack, rows * 2);
      thread = Arrays.copyOf(thread, rows * 2);
      detail = Arrays.copyOf(detail, rows * 2);
      count = Arrays.copyOf(count, rows * 2);
      sum = Arrays.copyOf(sum, rows * 2);
    }
    stack[rows] = stackNumber;
    thread[rows] = threadNumber;
    detail[rows] = detailNumber;
    slots[slot] = ++rows;
    if (rows * 2 > slots.length) {
      rehash();
    }
    return rows - 1;
  }

  private int slotOf(int s, int t, int d) {
    int hash = (s * 0x9E3779B1) ^ (t * 0x85EBCA77) ^ (d * 0xC2B2AE3D);
    int slot = (hash ^ hash >>> 16) & (slots.length - 1);
    while (slots[slot] != 0) {
      int row = slots[slot] - 1;
      if (stack[row] == s && thread[row] == t && detail[row] == d) {
        break;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void rehash() {
    slots = new int[slots.length * 2];
    for (int row = 0; row < rows; row++) {
      slots[slotOf(stack[row], thread[row], detail[row])] = row + 1;
    }
  }

  Meaning meaning() {
    return meaning;
  }

  int rows() {
    return rows;
  }

  /** How many samples came. */
  long samples() {
    return samples;
  }

  /** Samples that are in the rows but have no time: the temporary disk took no more. */
  long untimed() {
    return timeline.untimed();
  }

  int stack(int row) {
    return stack[row];
  }

  int thread(int row) {
    return thread[row];
  }

  int detail(int row) {
    return detail[row];
  }

  /** How many samples. */
  long count(int row) {
    return count[row];
  }

  /** The samples' values added up. */
  long sum(int row) {
    return sum[row];
  }

  /** Gives the rows' memory back; only the times may still be asked for. */
  void clearRows() {
    stack = new int[0];
    thread = new int[0];
    detail = new int[0];
    count = new long[0];
    sum = new long[0];
    slots = new int[0];
    rows = 0;
  }

  CompactTimeline timeline() {
    return timeline.build();
  }
}
