package dev.plumb.profile;

import dev.plumb.table.PairIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stacks and frames, each once. A stack is its leaf frame and the stack of the caller, so that
 * stacks share their common callers. At the root are the empty stacks, one per {@link StackEnd}. A
 * stack's id is greater than its caller's.
 */
public final class StackTable {
  private static final StackEnd[] ENDS = StackEnd.values();
  private static final int NO_FRAME = -1;

  private final List<Frame> frames;

  /** Caller and leaf. */
  private final PairIndex stacks;

  private StackTable(List<Frame> frames, PairIndex stacks) {
    this.frames = frames;
    this.stacks = stacks;
  }

  /** The number of stacks, including empty ones and those that only occur as callers. */
  public int size() {
    return stacks.size();
  }

  /** All frames, by id. */
  public List<Frame> frames() {
    return frames;
  }

  public boolean isEmpty(int stack) {
    return stacks.second(stack) == NO_FRAME;
  }

  /** The id of the leaf's frame; the stack must not be empty. */
  public int leaf(int stack) {
    return stacks.second(stack);
  }

  /** The stack without its leaf. */
  public int caller(int stack) {
    return stacks.first(stack);
  }

  public int depth(int stack) {
    int depth = 0;
    for (int at = stack; !isEmpty(at); at = stacks.first(at)) {
      depth++;
    }
    return depth;
  }

  /** The ids of a stack's frames, leaf first. */
  public int[] frameIds(int stack) {
    int[] ids = new int[depth(stack)];
    int at = stack;
    for (int i = 0; i < ids.length; i++) {
      ids[i] = stacks.second(at);
      at = stacks.first(at);
    }
    return ids;
  }

  public StackEnd end(int stack) {
    int at = stack;
    while (!isEmpty(at)) {
      at = stacks.first(at);
    }
    return ENDS[at];
  }

  /** Collects stacks; equal ones get the same id. */
  public static final class Builder {
    private final List<Frame> frames = new ArrayList<>();
    private final Map<Frame, Integer> frameIds = new HashMap<>();
    private final PairIndex stacks = new PairIndex();

    public Builder() {
      for (StackEnd end : ENDS) {
        stacks.add(NO_FRAME - end.ordinal(), NO_FRAME);
      }
    }

    /** Reserves space for this many stacks. */
    public void reserve(int expected) {
      stacks.reserve(expected);
    }

    public int frame(Frame frame) {
      Integer known = frameIds.putIfAbsent(frame, frames.size());
      if (known != null) {
        return known;
      }
      frames.add(frame);
      return frames.size() - 1;
    }

    /** The empty stack with this end. */
    public int empty(StackEnd end) {
      return end.ordinal();
    }

    /** The number of distinct stacks so far, including all callers. */
    public int size() {
      return stacks.size();
    }

    /** The stack of a callee. */
    public int called(int caller, int leaf) {
      return stacks.add(caller, leaf);
    }

    /**
     * The same for a stack that is known to be new: nothing is looked up, so the other methods must
     * not be used on the same builder.
     */
    public int newStack(int caller, int leaf) {
      return stacks.append(caller, leaf);
    }

    /** A frame that is known to be new; see {@link #newStack}. */
    public int newFrame(Frame frame) {
      frames.add(frame);
      return frames.size() - 1;
    }

    /** The stack whose frames are the first {@code depth} of {@code ids}, leaf first. */
    public int stack(int[] ids, int depth, StackEnd end) {
      int stack = empty(end);
      for (int i = depth - 1; i >= 0; i--) {
        stack = called(stack, ids[i]);
      }
      return stack;
    }

    /** The table as it is; the builder can be used further. */
    public StackTable copy() {
      return new StackTable(List.copyOf(frames), stacks.copy());
    }

    /** The table; the builder cannot be used further. */
    public StackTable build() {
      stacks.complete();
      return new StackTable(List.copyOf(frames), stacks);
    }
  }
}
