package dev.plumb.collect.raw;

import java.util.Arrays;

/**
 * The places that stacks are made of, each once: an address of the kernel, or an offset into a
 * region of {@link RawRegions}, and whether it was found on the stack as a return address.
 */
public final class RawPlaces {
  /** Code that nothing is known of. */
  public static final int UNKNOWN = 0;

  /** The same, because nothing is known of its process. */
  public static final int UNKNOWN_PROCESS = 1;

  private static final int KERNEL = -1;
  private static final int NOWHERE = -2;

  private long[] offsets = new long[1024];

  /** Region × 2, + 1 for a return address. */
  private int[] regions = new int[1024];

  /** When it was first met: code of a run-time compiler does not stay where it is. */
  private long[] times = new long[1024];

  private int size;

  /** Open addressing over numbers + 1; grown at half full. */
  private int[] slots = new int[4096];

  RawPlaces() {
    add(NOWHERE, UNKNOWN, false, 0);
    add(NOWHERE, UNKNOWN_PROCESS, false, 0);
  }

  int kernel(long kernelAddress, boolean returnAddress) {
    return add(KERNEL, kernelAddress, returnAddress, 0);
  }

  int user(int region, long offset, boolean returnAddress, long time) {
    return add(region, offset, returnAddress, time);
  }

  private int add(int region, long offset, boolean returnAddress, long time) {
    int both = region * 2 + (returnAddress ? 1 : 0);
    int slot = slotOf(both, offset);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == offsets.length) {
      offsets = Arrays.copyOf(offsets, size * 2);
      regions = Arrays.copyOf(regions, size * 2);
      times = Arrays.copyOf(times, size * 2);
    }
    times[size] = time;
    offsets[size] = offset;
    regions[size] = both;
    slots[slot] = ++size;
    if (size * 2 > slots.length) {
      rehash();
    }
    return size - 1;
  }

  private int slotOf(int both, long offset) {
    long hash = (offset ^ (long) both << 40) * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & (slots.length - 1);
    while (slots[slot] != 0) {
      int place = slots[slot] - 1;
      if (offsets[place] == offset && regions[place] == both) {
        break;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void rehash() {
    slots = new int[slots.length * 2];
    for (int i = 0; i < size; i++) {
      slots[slotOf(regions[i], offsets[i])] = i + 1;
    }
  }

  public int size() {
    return size;
  }

  public boolean isKernel(int place) {
    return regions[place] >> 1 == KERNEL;
  }

  public boolean isReturn(int place) {
    return (regions[place] & 1) != 0;
  }

  /** Of a place in user code. */
  public int region(int place) {
    return regions[place] >> 1;
  }

  /** When it was first met, CLOCK_MONOTONIC nanoseconds; of a place in user code. */
  public long time(int place) {
    return times[place];
  }

  /** The kernel address, or the offset into the region. */
  public long offset(int place) {
    return offsets[place];
  }
}
