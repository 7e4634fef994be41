package dev.plumb.collect.raw;

import java.util.Arrays;

/** Numbers distinct longs from 0 in the order they come. */
public final class LongIndex {
  private long[] keys = new long[1024];
  private int size;

  /** Open addressing over numbers + 1; grown at half full. */
  private int[] slots = new int[4096];

  /** The key's number, a new one if it is new. */
  public int add(long key) {
    int slot = slotOf(key);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, size * 2);
    }
    keys[size] = key;
    slots[slot] = ++size;
    if (size * 2 > slots.length) {
      rehash();
    }
    return size - 1;
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

  private int slotOf(long key) {
    long hash = key * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & (slots.length - 1);
    while (slots[slot] != 0 && keys[slots[slot] - 1] != key) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void rehash() {
    slots = new int[slots.length * 2];
    for (int i = 0; i < size; i++) {
      slots[slotOf(keys[i])] = i + 1;
    }
  }
}
