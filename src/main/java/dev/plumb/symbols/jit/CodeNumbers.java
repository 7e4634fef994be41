package dev.plumb.symbols.jit;

import java.util.Arrays;

/**
 * Finds the latest entry by the number that the compiler gave its code. A hash table of its own,
 * because a later entry replaces an earlier one, and because programs choose the numbers: probing
 * is bounded.
 */
final class CodeNumbers {
  private static final int FIRST_SIZE = 64;

  /** Numbers that are made to collide overwrite each other, but cost no time. */
  private static final int MAX_PROBES = 128;

  /** An entry's number plus one, or 0. */
  private int[] slots = new int[FIRST_SIZE];

  private int used;
  private int known;

  long bytes() {
    return 4L * slots.length;
  }

  /** The latest entry with that number, or -1. */
  int find(CodeHistory code, int index) {
    for (; known < code.count(); known++) {
      if (2 * used >= slots.length) {
        grow(code);
      }
      put(code, known);
    }
    int entry = slots[slot(code, index)] - 1;
    return entry >= 0 && code.index(entry) == index ? entry : -1;
  }

  private void put(CodeHistory code, int entry) {
    int slot = slot(code, code.index(entry));
    used += slots[slot] == 0 ? 1 : 0;
    slots[slot] = entry + 1;
  }

  private int slot(CodeHistory code, int index) {
    int slot = index * 0x9e3779b1 >>> Integer.numberOfLeadingZeros(slots.length - 1);
    for (int i = 0; i < MAX_PROBES; i++) {
      if (slots[slot] == 0 || code.index(slots[slot] - 1) == index) {
        return slot;
      }
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private void grow(CodeHistory code) {
    int[] old = Arrays.copyOf(slots, slots.length);
    slots = new int[old.length * 2];
    used = 0;
    for (int entry : old) {
      if (entry != 0) {
        put(code, entry - 1);
      }
    }
  }
}
