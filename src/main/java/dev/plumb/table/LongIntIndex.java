package dev.plumb.table;

import java.util.Arrays;

/** Numbers distinct pairs of a long and an int from 0 in order of appearance. */
public final class LongIntIndex {
  private static final int FIRST_CAPACITY = 1024;

  private long[] longs = new long[FIRST_CAPACITY];
  private int[] ints = new int[FIRST_CAPACITY];
  private int size;

  /** Open addressing over numbers + 1; grown when more than half full. */
  private int[] slots = new int[LongIndex.slotsFor(FIRST_CAPACITY)];

  /** The pair's number; a new one for a new pair. */
  public int add(long first, int second) {
    int slot = slotOf(first, second);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == longs.length) {
      int capacity = size + (size >> 1);
      longs = Arrays.copyOf(longs, capacity);
      ints = Arrays.copyOf(ints, capacity);
    }
    longs[size] = first;
    ints[size] = second;
    slots[slot] = ++size;
    if (size > slots.length / 2) {
      rehash(slots.length * 2);
    }
    return size - 1;
  }

  /** The pair's number, or -1. */
  public int find(long first, int second) {
    return slots[slotOf(first, second)] - 1;
  }

  public long first(int number) {
    return longs[number];
  }

  public int second(int number) {
    return ints[number];
  }

  public int size() {
    return size;
  }

  /** Frees the slots: from now on, pairs can neither be added nor found, only read. */
  public void complete() {
    slots = new int[0];
  }

  private int slotOf(long first, int second) {
    int mask = slots.length - 1;
    long hash = first * 0x9E3779B97F4A7C15L + second * 0xC2B2AE3D27D4EB4FL;
    int slot = (int) (hash >>> 32) & mask;
    while (slots[slot] != 0) {
      int number = slots[slot] - 1;
      if (longs[number] == first && ints[number] == second) {
        break;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void rehash(int slotCount) {
    slots = new int[slotCount];
    for (int i = 0; i < size; i++) {
      slots[slotOf(longs[i], ints[i])] = i + 1;
    }
  }
}
