package dev.plumb.profile;

import java.util.Arrays;

/** Numbers distinct pairs of ints from 0 in order of appearance, for example nodes of trees. */
public final class PairIndex {
  /** The first int in the upper half, so that one access finds both. */
  private long[] pairs = new long[1024];

  private int size;

  /** Open addressing over numbers + 1; grown at half full. */
  private int[] slots = new int[2048];

  /** Reserves space for this many pairs. */
  public void reserve(int expected) {
    if (expected > pairs.length) {
      pairs = Arrays.copyOf(pairs, expected);
      rehash(Math.max(slots.length, Integer.highestOneBit(expected) * 2));
    }
  }

  /** The pair's number; a new one for a new pair. */
  public int add(int first, int second) {
    long pair = pair(first, second);
    int slot = slotOf(pair);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == pairs.length) {
      pairs = Arrays.copyOf(pairs, size + (size >> 1));
    }
    pairs[size] = pair;
    slots[slot] = ++size;
    if (size > slots.length / 2) {
      rehash(slots.length * 2);
    }
    return size - 1;
  }

  /** Numbers a pair that is known to be new; {@link #add} will not find it. */
  public int append(int first, int second) {
    if (size == pairs.length) {
      pairs = Arrays.copyOf(pairs, size * 2);
    }
    pairs[size] = pair(first, second);
    return size++;
  }

  private static long pair(int first, int second) {
    return (long) first << 32 | Integer.toUnsignedLong(second);
  }

  private int slotOf(long pair) {
    int mask = slots.length - 1;
    int slot = (int) (pair * 0x9E3779B97F4A7C15L >>> 32) & mask;
    while (slots[slot] != 0 && pairs[slots[slot] - 1] != pair) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void rehash(int slotCount) {
    slots = new int[slotCount];
    for (int i = 0; i < size; i++) {
      slots[slotOf(pairs[i])] = i + 1;
    }
  }

  public int size() {
    return size;
  }

  public int first(int number) {
    return (int) (pairs[number] >>> 32);
  }

  public int second(int number) {
    return (int) pairs[number];
  }

  /** A copy to which no pairs can be added. */
  public PairIndex copy() {
    PairIndex copy = new PairIndex();
    copy.pairs = Arrays.copyOf(pairs, size);
    copy.size = size;
    copy.complete();
    return copy;
  }

  /** Frees the index: no more pairs can be added. */
  public void complete() {
    slots = new int[0];
  }
}
