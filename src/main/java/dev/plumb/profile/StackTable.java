package dev.plumb.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Stacks and frames, each once. A stack is a run of frame ids, leaf first. */
public final class StackTable {
  private final List<Frame> frames;
  private final int[] starts;
  private final int[] frameIds;
  private final StackEnd[] ends;

  private StackTable(List<Frame> frames, int[] starts, int[] frameIds, StackEnd[] ends) {
    this.frames = frames;
    this.starts = starts;
    this.frameIds = frameIds;
    this.ends = ends;
  }

  /** The number of stacks; ids run from 0. */
  public int size() {
    return ends.length;
  }

  /** All frames, by id. */
  public List<Frame> frames() {
    return frames;
  }

  public int depth(int stack) {
    return starts[stack + 1] - starts[stack];
  }

  /** The id of the i-th frame, 0 being the leaf. */
  public int frameId(int stack, int i) {
    return frameIds[starts[stack] + i];
  }

  public Frame frame(int stack, int i) {
    return frames.get(frameId(stack, i));
  }

  public StackEnd end(int stack) {
    return ends[stack];
  }

  /** Collects stacks; equal ones get the same id. */
  public static final class Builder {
    private final List<Frame> frames = new ArrayList<>();
    private final Map<Frame, Integer> frameIds = new HashMap<>();
    private int[] starts = new int[1024];
    private int[] content = new int[16 * 1024];
    private StackEnd[] ends = new StackEnd[1024];
    private int size;

    /** Open addressing over stack ids + 1; grown at half full. */
    private int[] slots = new int[4096];

    public int frame(Frame frame) {
      Integer known = frameIds.putIfAbsent(frame, frames.size());
      if (known != null) {
        return known;
      }
      frames.add(frame);
      return frames.size() - 1;
    }

    /** The id of the stack whose first {@code depth} entries of {@code ids} are its frames. */
    public int stack(int[] ids, int depth, StackEnd end) {
      int slot = slotOf(ids, depth, end);
      if (slots[slot] != 0) {
        return slots[slot] - 1;
      }
      int stack = size++;
      if (size + 1 > starts.length) {
        starts = Arrays.copyOf(starts, starts.length * 2);
        ends = Arrays.copyOf(ends, ends.length * 2);
      }
      int start = starts[stack];
      if (start + depth > content.length) {
        content = Arrays.copyOf(content, Math.max(start + depth, content.length * 2));
      }
      System.arraycopy(ids, 0, content, start, depth);
      starts[stack + 1] = start + depth;
      ends[stack] = end;
      slots[slot] = stack + 1;
      if (size * 2 > slots.length) {
        rehash();
      }
      return stack;
    }

    private int slotOf(int[] ids, int depth, StackEnd end) {
      int slot = hash(ids, 0, depth, end) & (slots.length - 1);
      while (slots[slot] != 0 && !same(slots[slot] - 1, ids, depth, end)) {
        slot = (slot + 1) & (slots.length - 1);
      }
      return slot;
    }

    private boolean same(int stack, int[] ids, int depth, StackEnd end) {
      return ends[stack] == end
          && Arrays.equals(content, starts[stack], starts[stack + 1], ids, 0, depth);
    }

    private static int hash(int[] ids, int from, int to, StackEnd end) {
      int h = end.ordinal();
      for (int i = from; i < to; i++) {
        h = (h ^ ids[i]) * 0x9E3779B1;
        h ^= h >>> 15;
      }
      return h;
    }

    private void rehash() {
      slots = new int[slots.length * 2];
      for (int stack = 0; stack < size; stack++) {
        int slot =
            hash(content, starts[stack], starts[stack + 1], ends[stack]) & (slots.length - 1);
        while (slots[slot] != 0) {
          slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = stack + 1;
      }
    }

    public StackTable build() {
      return new StackTable(
          List.copyOf(frames),
          Arrays.copyOf(starts, size + 1),
          Arrays.copyOf(content, starts[size]),
          Arrays.copyOf(ends, size));
    }
  }
}
