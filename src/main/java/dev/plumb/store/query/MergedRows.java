package dev.plumb.store.query;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.dictionary.MergedStacks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums per stack and thread, within a part of the query's memory: when they outgrow it, the
 * smallest stacks are added up below their callers in frames {@link MergedStacks#OTHER}. That loses
 * detail, but no value.
 */
final class MergedRows {
  /** A row here, in the profile made from it, and in what the profile's reader makes. */
  private static final int ROW_BYTES = 150;

  /** What the count adds to that. */
  private static final int COUNT_BYTES = 40;

  private static final int PLACE_BYTES = 300;
  private static final long EMPTY = -1;

  /** The thread and labels of a row. */
  private record Place(ThreadInfo thread, Labels labels) {}

  private final long mostBytes;
  private final List<Place> places = new ArrayList<>();
  private final Map<Place, Integer> placeIds = new HashMap<>();
  private MergedStacks stacks;

  /** Open addressing, grown at half full: stack in the upper half, place in the lower. */
  private long[] keys = newKeys(1024);

  private long[] sums = new long[1024];

  /** Counts of samples, parallel to the sums; empty if no counts are wanted. */
  private long[] counts;

  private final boolean counted;
  private int rows;

  /** Receives the new numbers of stacks after some were removed. */
  @FunctionalInterface
  interface Renumbered {
    void stacks(int[] numbers);
  }

  /**
   * @param lines whether source lines are distinguished, not only functions
   * @param counted whether there is a count for each sum
   */
  MergedRows(boolean lines, boolean counted, long mostBytes) {
    this.stacks = new MergedStacks(lines);
    this.counted = counted;
    this.counts = newCounts(1024);
    this.mostBytes = mostBytes;
  }

  private static long[] newKeys(int size) {
    long[] keys = new long[size];
    Arrays.fill(keys, EMPTY);
    return keys;
  }

  private long[] newCounts(int size) {
    return new long[counted ? size : 0];
  }

  MergedStacks stacks() {
    return stacks;
  }

  int place(ThreadInfo thread, Labels labels) {
    Place place = new Place(thread, labels);
    Integer known = placeIds.putIfAbsent(place, places.size());
    if (known != null) {
      return known;
    }
    HeapAllowance.take(PLACE_BYTES);
    places.add(place);
    return places.size() - 1;
  }

  void add(int stack, int place, long value, long count) {
    long key = (long) stack << 32 | place;
    int slot = slotOf(key);
    if (keys[slot] == EMPTY) {
      keys[slot] = key;
      if (++rows * 2 > keys.length) {
        rehash(keys.length * 2);
        slot = slotOf(key);
      }
    }
    sums[slot] += value;
    if (counted) {
      counts[slot] += count;
    }
  }

  private int slotOf(long key) {
    int mask = keys.length - 1;
    int slot = (int) (key * 0x9E3779B97F4A7C15L >>> 32) & mask;
    while (keys[slot] != EMPTY && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void rehash(int size) {
    long[] oldKeys = keys;
    long[] oldSums = sums;
    long[] oldCounts = counts;
    keys = newKeys(size);
    sums = new long[size];
    counts = newCounts(size);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != EMPTY) {
        int slot = slotOf(oldKeys[i]);
        keys[slot] = oldKeys[i];
        sums[slot] = oldSums[i];
        if (counted) {
          counts[slot] = oldCounts[i];
        }
      }
    }
  }

  private long bytes() {
    return stacks.bytes() + (long) (counted ? ROW_BYTES + COUNT_BYTES : ROW_BYTES) * rows;
  }

  /** Removes small stacks if all together need too much memory. */
  void keepWithin(Renumbered renumbered) {
    if (bytes() <= mostBytes) {
      return;
    }
    long[] totals = totals();
    int[] numbers = new int[stacks.size()];
    MergedStacks fewer = stacks.without(large(totals), numbers);
    long[] oldKeys = keys;
    long[] oldSums = sums;
    long[] oldCounts = counts;
    stacks = fewer;
    keys = newKeys(1024);
    sums = new long[1024];
    counts = newCounts(1024);
    rows = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != EMPTY) {
        int stack = numbers[(int) (oldKeys[i] >>> 32)];
        add(stack, (int) oldKeys[i], oldSums[i], counted ? oldCounts[i] : 0);
      }
    }
    renumbered.stacks(numbers);
    if (bytes() > mostBytes) {
      HeapAllowance.take(Long.MAX_VALUE); // too many threads, not stacks
    }
  }

  private long[] totals() {
    long[] totals = new long[stacks.size()];
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] != EMPTY) {
        totals[(int) (keys[i] >>> 32)] += Math.abs(sums[i]);
      }
    }
    stacks.addUp(totals);
    return totals;
  }

  /** The stacks to keep: as many as fit into half of the memory. */
  private boolean[] large(long[] totals) {
    boolean[] kept = new boolean[totals.length];
    long whole = 0;
    for (int end = 0; stacks.isEnd(end); end++) {
      whole += totals[end];
    }
    long kind = Math.max(1, bytes() / Math.max(1, stacks.size()));
    long most = Math.max(1, mostBytes / 2 / kind);
    for (long least = Math.max(1, whole / 10_000_000); ; least += least / 2 + 1) {
      long count = 0;
      for (int stack = 0; stack < totals.length; stack++) {
        kept[stack] = totals[stack] >= least || stacks.isEnd(stack);
        count += kept[stack] ? 1 : 0;
      }
      if (count <= most || least > whole) {
        return kept;
      }
    }
  }

  Profile build(Profile.Builder builder) {
    HeapAllowance.take(bytes() / 2); // what remains while its reader works
    int[] threads = new int[places.size()];
    int[] labels = new int[places.size()];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = builder.thread(places.get(i).thread());
      labels[i] = builder.labels(places.get(i).labels());
    }
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] != EMPTY) {
        int place = (int) keys[i];
        int row = builder.row((int) (keys[i] >>> 32), threads[place], labels[place]);
        if (counted) {
          builder.add(row, 0, counts[i]);
        }
        builder.add(row, counted ? 1 : 0, sums[i]);
      }
    }
    keys = newKeys(2);
    sums = new long[2];
    counts = newCounts(2);
    return builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
  }
}
