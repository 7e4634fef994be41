package dev.plumb.table;

import java.util.Arrays;

/** Numbers distinct longs from 0 in order of appearance. */
public final class LongIndex {
  private static final int FIRST_CAPACITY = 1024;

  private long[] keys;
  private int size;

  /** Open addressing over numbers + 1; grown when more than half full. */
  private int[] slots;

  public LongIndex() {
    this(FIRST_CAPACITY);
  }

  /**
   * @param capacity how many keys to have space for from the start, at least 1
   */
  public LongIndex(int capacity) {
    keys = new long[capacity];
    slots = new int[slotsFor(capacity)];
  }

  static int slotsFor(int capacity) {
    return Integer.highestOneBit(capacity) * 2;
  }

  /** Reserves space for this many keys. */
  public void reserve(int expected) {
    if (expected > keys.length) {
      keys = Arrays.copyOf(keys, expected);
      rehash(Math.max(slots.length, slotsFor(expected)));
    }
  }

  /** The key's number; a new one for a new key. */
  public int add(long key) {
    int slot = slotOf(key);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    int number = append(key);
    slots[slot] = size;
    if (size > slots.length / 2) {
      rehash(slots.length * 2);
    }
    return number;
  }

  /** Numbers a key that is known to be new; {@link #add} and {@link #find} will not find it. */
  int append(long key) {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, size + (size >> 1) + 1);
    }
    keys[size] = key;
    return size++;
  }

  /** The key's number, or -1. */
  public int find(long key) {
    return slots[slotOf(key)] - 1;
  }

  public long key(int number) {
    return keys[number];
  }

  public int size() {
    return size;
  }

  /** All keys in the order of their numbers. */
  public long[] toArray() {
    return Arrays.copyOf(keys, size);
  }

  /** A copy to which no keys can be added. */
  LongIndex copy() {
    LongIndex copy = new LongIndex(1);
    copy.keys = toArray();
    copy.size = size;
    copy.complete();
    return copy;
  }

  /** Frees the slots: from now on, keys can neither be added nor found, only read. */
  public void complete() {
    slots = new int[0];
  }

  private int slotOf(long key) {
    int mask = slots.length - 1;
    int slot = (int) (key * 0x9E3779B97F4A7C15L >>> 32) & mask;
    while (slots[slot] != 0 && keys[slots[slot] - 1] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void rehash(int slotCount) {
    slots = new int[slotCount];
    for (int i = 0; i < size; i++) {
      slots[slotOf(keys[i])] = i + 1;
    }
  }
}
