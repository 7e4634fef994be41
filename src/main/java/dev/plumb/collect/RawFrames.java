package dev.plumb.collect;

import java.util.Arrays;

/**
 * The places that stacks are made of, each once: an address of the kernel or of a process, and
 * whether it was found on the stack as a return address.
 */
final class RawFrames {
  static final int KERNEL = -1;

  private long[] address = new long[4096];
  private long[] time = new long[4096];
  private int[] process = new int[4096];
  private boolean[] returned = new boolean[4096];
  private int size;

  /** Open addressing over ids + 1; grown at half full. */
  private int[] slots = new int[16 * 1024];

  int kernel(long kernelAddress, boolean returnAddress) {
    return add(KERNEL, kernelAddress, returnAddress, 0);
  }

  /** {@code firstSeen} tells later which mapping was meant. */
  int user(int owner, long processAddress, boolean returnAddress, long firstSeen) {
    return add(owner, processAddress, returnAddress, firstSeen);
  }

  private int add(int owner, long place, boolean isReturn, long seen) {
    int slot = slotOf(owner, place, isReturn);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == address.length) {
      address = Arrays.copyOf(address, size * 2);
      time = Arrays.copyOf(time, size * 2);
      process = Arrays.copyOf(process, size * 2);
      returned = Arrays.copyOf(returned, size * 2);
    }
    address[size] = place;
    time[size] = seen;
    process[size] = owner;
    returned[size] = isReturn;
    slots[slot] = ++size;
    if (size * 2 > slots.length) {
      rehash();
    }
    return size - 1;
  }

  private int slotOf(int owner, long place, boolean isReturn) {
    long hash = (place * 2 + (isReturn ? 1 : 0) ^ (long) owner << 40) * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & (slots.length - 1);
    while (slots[slot] != 0) {
      int frame = slots[slot] - 1;
      if (address[frame] == place && process[frame] == owner && returned[frame] == isReturn) {
        break;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void rehash() {
    slots = new int[slots.length * 2];
    for (int i = 0; i < size; i++) {
      slots[slotOf(process[i], address[i], returned[i])] = i + 1;
    }
  }

  /** Gives the memory back; nothing may be asked any more. */
  void clear() {
    address = new long[0];
    time = new long[0];
    process = new int[0];
    returned = new boolean[0];
    slots = new int[0];
    size = 0;
  }

  int size() {
    return size;
  }

  long address(int frame) {
    return address[frame];
  }

  boolean isKernel(int frame) {
    return process[frame] == KERNEL;
  }

  boolean isReturn(int frame) {
    return returned[frame];
  }

  int process(int frame) {
    return process[frame];
  }

  long firstSeen(int frame) {
    return time[frame];
  }
}
