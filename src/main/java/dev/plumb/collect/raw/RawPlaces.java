package dev.plumb.collect.raw;

import dev.plumb.table.LongIntIndex;
import java.util.Arrays;

/**
 * The places that stacks consist of, each once: a kernel address, or an offset into a region of
 * {@link RawRegions}, and whether it is a return address.
 */
public final class RawPlaces {
  /** Code about which nothing is known. */
  public static final int UNKNOWN = 0;

  /** The same, because nothing is known about its process. */
  public static final int UNKNOWN_PROCESS = 1;

  private static final int KERNEL = -1;
  private static final int NOWHERE = -2;

  /** The offset, or the kernel address, and twice the region, + 1 for a return address. */
  private final LongIntIndex index = new LongIntIndex();

  /** When it was first seen: a JIT compiler may move its code later. */
  private long[] times = new long[1024];

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
    int before = index.size();
    int place = index.add(offset, region * 2 + (returnAddress ? 1 : 0));
    if (place == before) {
      if (place == times.length) {
        times = Arrays.copyOf(times, place * 2);
      }
      times[place] = time;
    }
    return place;
  }

  public int size() {
    return index.size();
  }

  public boolean isKernel(int place) {
    return index.second(place) >> 1 == KERNEL;
  }

  public boolean isReturn(int place) {
    return (index.second(place) & 1) != 0;
  }

  /** The region of a place in user code. */
  public int region(int place) {
    return index.second(place) >> 1;
  }

  /** When a place in user code was first seen, in CLOCK_MONOTONIC nanoseconds. */
  public long time(int place) {
    return times[place];
  }

  /** The kernel address, or the offset into the region. */
  public long offset(int place) {
    return index.first(place);
  }
}
