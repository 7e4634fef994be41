package dev.plumb.profile;

import java.util.Arrays;

/** Numbers distinct pairs of ints from 0 in the order they come. Made for the nodes of trees. */
public final class PairIndex {
  private int[] firsts = new int[1024];
  private int[] seconds = new int[1024];
  private int size;

  /** Open addressing over numbers + 1; grown at three quarters full. */
  private int[] slots = new int[2048];

  /** Makes room for as many pairs at once. */
  public void reserve(int expected) {
    if (expected > firsts.length) {
      grow(expected);
      rehash(Integer.highestOneBit(expected) * 2);
    }
  }

  /** The pair's number, a new one if it is new. */
  public int add(int first, int second) {
    int slot = slotOf(first, second);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == firsts.length) {
      grow(size + (size >> 1));
    }
    firsts[size] = first;
    seconds[size] = second;
    slots[slot] = ++size;
    if (size > slots.length / 4 * 3) {
      rehash(slots.length * 2);
    }
    return size - 1;
  }

  /** Numbers a pair that is known to be new; {@link #add} will not find it. */
  public int append(int first, int second) {
    if (size == firsts.length) {
      grow(size * 2);
    }
    firsts[size] = first;
    seconds[size] = second;
    return size++;
  }

  private void grow(int room) {
    firsts = Arrays.copyOf(firsts, room);
    seconds = Arrays.copyOf(seconds, room);
  }

  private int slotOf(int first, int second) {
    int mask = slots.length - 1;
    long hash = ((long) first << 32 ^ second) * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & mask;
    while (slots[slot] != 0) {
      int pair = slots[slot] - 1;
      if (firsts[pair] == first && seconds[pair] == second) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void rehash(int slotCount) {
    slots = new int[slotCount];
    for (int i = 0; i < size; i++) {
      slots[slotOf(firsts[i], seconds[i])] = i + 1;
    }
  }

  public int size() {
    return size;
  }

  public int first(int number) {
    return firsts[number];
  }

  public int second(int number) {
    return seconds[number];
  }

  /** The same pairs; others can be added only here. */
  public PairIndex copy() {
    PairIndex copy = new PairIndex();
    copy.firsts = Arrays.copyOf(firsts, size);
    copy.seconds = Arrays.copyOf(seconds, size);
    copy.size = size;
    copy.complete();
    return copy;
  }

  /** Gives back what is needed only to find pairs: no more can be added. */
  public void complete() {
    slots = new int[0];
  }
}
