package dev.plumb.profile;

/** A map from longs to non-negative ints without boxes. */
final class LongIntMap {
  private long[] keys = new long[1024];

  /** Value + 1; 0 where a slot is free. */
  private int[] values = new int[1024];

  private int size;

  /** The value, or -1. */
  int get(long key) {
    return values[slotOf(key)] - 1;
  }

  void put(long key, int value) {
    int slot = slotOf(key);
    if (values[slot] == 0) {
      size++;
    }
    keys[slot] = key;
    values[slot] = value + 1;
    if (size * 2 > keys.length) {
      rehash();
    }
  }

  int size() {
    return size;
  }

  private int slotOf(long key) {
    long hash = key * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & (keys.length - 1);
    while (values[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & (keys.length - 1);
    }
    return slot;
  }

  private void rehash() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = new int[oldKeys.length * 2];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldValues[i] != 0) {
        int slot = slotOf(oldKeys[i]);
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
