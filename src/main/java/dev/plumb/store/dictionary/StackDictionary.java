package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.store.database.StoreLimits;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers the stacks and frames of rows to be written. A large dictionary is replaced by a new one
 * with higher numbers. This bounds memory, and an old dictionary can be dropped with the last data
 * that refers to it.
 */
public final class StackDictionary {
  public static final int ENDS = StackEnd.values().length;

  private final int stackBase;
  private final int frameBase;
  private final Map<Frame, Integer> frameIds = new HashMap<>();
  private Frame[] frames = new Frame[1024];
  private int frameCount;
  private int[] callers = new int[4096];
  private int[] leaves = new int[4096];
  private byte[] flags = new byte[4096];
  private int stackCount;

  /** The number of empty stacks, which come first; fewer in dictionaries of older versions. */
  private final int ends;

  /** Open addressing over local numbers + 1; grown at half full. */
  private int[] slots = new int[16384];

  private int storedStacks;
  private int storedFrames;

  // The numbers here of the stacks and frames of the current table, + 1.
  private StackTable table;
  private int[] stackNumbers = {};
  private int[] frameNumbers = {};
  private int[] path = new int[256];

  public StackDictionary(int stackBase, int frameBase) {
    this(stackBase, frameBase, ENDS);
  }

  private StackDictionary(int stackBase, int frameBase, int ends) {
    this.stackBase = stackBase;
    this.frameBase = frameBase;
    this.ends = ends;
    this.stackCount = ends;
    Arrays.fill(leaves, 0, ends, StackTree.NO_FRAME);
    for (int end = 0; end < ends; end++) {
      callers[end] = end;
      flags[end] = (byte) (end == StackEnd.WHOLE.ordinal() ? 0 : StackTree.CUT);
    }
  }

  /** Whether a new one must replace it: it is large, or of an older version. */
  public boolean isLarge(StoreLimits limits) {
    return ends < ENDS || stackCount > limits.stacks() || frameCount > limits.frames();
  }

  public int stackBase() {
    return stackBase;
  }

  public int frameBase() {
    return frameBase;
  }

  public int stackCount() {
    return stackCount;
  }

  public int frameCount() {
    return frameCount;
  }

  public int storedStacks() {
    return storedStacks;
  }

  public int storedFrames() {
    return storedFrames;
  }

  public void stored(int stacks, int frameNumber) {
    storedStacks = stacks;
    storedFrames = frameNumber;
  }

  /** The store's number for a stack of a recording. */
  public synchronized int number(StackTable of, int stack) {
    if (of != table) {
      table = of;
      stackNumbers = new int[of.size()];
      frameNumbers = new int[of.frames().size()];
    }
    return stackBase + numberOf(of, stack);
  }

  private int numberOf(StackTable of, int stack) {
    int interrupted = StoredFrames.interrupted(of, stack);
    if (interrupted != stack && stackNumbers[stack] == 0) {
      stackNumbers[stack] = called(numberOf(of, interrupted), frame(of, of.leaf(stack))) + 1;
    }
    int depth = 0;
    int at = stack;
    while (stackNumbers[at] == 0 && !of.isEmpty(at)) {
      if (depth == path.length) {
        path = Arrays.copyOf(path, depth * 2);
      }
      path[depth++] = at;
      at = of.caller(at);
    }
    int number = stackNumbers[at] == 0 ? end(of.end(at)) : stackNumbers[at] - 1;
    stackNumbers[at] = number + 1;
    while (depth > 0) {
      at = path[--depth];
      number = called(number, frame(of, of.leaf(at)));
      stackNumbers[at] = number + 1;
    }
    return number;
  }

  /** In a dictionary of an older version, an end that it knew. */
  private int end(StackEnd end) {
    return end.ordinal() < ends ? end.ordinal() : StackEnd.NO_FRAME_POINTER.ordinal();
  }

  /** Releases the current table. */
  public synchronized void forgetTable() {
    table = null;
    stackNumbers = new int[0];
    frameNumbers = new int[0];
  }

  private int frame(StackTable of, int leaf) {
    if (frameNumbers[leaf] == 0) {
      frameNumbers[leaf] = frame(StoredFrames.frame(of.frames().get(leaf))) + 1;
    }
    return frameNumbers[leaf] - 1;
  }

  private int frame(Frame frame) {
    Integer known = frameIds.get(frame);
    if (known != null) {
      return known;
    }
    frameIds.put(frame, frameCount);
    if (frameCount == frames.length) {
      frames = Arrays.copyOf(frames, frameCount * 2);
    }
    frames[frameCount] = frame;
    return frameCount++;
  }

  private int called(int caller, int leaf) {
    int slot = slotOf(caller, leaf);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (stackCount == callers.length) {
      callers = Arrays.copyOf(callers, stackCount * 2);
      leaves = Arrays.copyOf(leaves, stackCount * 2);
      flags = Arrays.copyOf(flags, stackCount * 2);
    }
    callers[stackCount] = caller;
    leaves[stackCount] = leaf;
    flags[stackCount] = flagsOf(caller, frames[leaf]);
    slots[slot] = ++stackCount;
    if (stackCount * 2 > slots.length) {
      slots = new int[slots.length * 2];
      for (int i = ends; i < stackCount; i++) {
        slots[slotOf(callers[i], leaves[i])] = i + 1;
      }
    }
    return stackCount - 1;
  }

  /** A reason for waiting always has a name; what matters is its caller. */
  private byte flagsOf(int caller, Frame leaf) {
    int cut = flags[caller] & StackTree.CUT;
    if (leaf.kind() == FrameKind.WAITING && caller >= ends) {
      return flags[caller];
    }
    return (byte) (leaf.named() ? cut : cut | StackTree.UNNAMED);
  }

  private int slotOf(int caller, int leaf) {
    int mask = slots.length - 1;
    long hash = ((long) caller << 32 ^ leaf) * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & mask;
    while (slots[slot] != 0) {
      int stack = slots[slot] - 1;
      if (callers[stack] == caller && leaves[stack] == leaf) {
        break;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Continues a dictionary that the database holds. */
  static StackDictionary restore(StackTree tree) {
    int ends = tree.stacks() == 0 ? ENDS : Math.min(tree.ends(), ENDS);
    StackDictionary dictionary = new StackDictionary(tree.stackBase(), tree.frameBase(), ends);
    for (Frame frame : tree.frames()) {
      dictionary.frame(frame);
    }
    for (int stack = ends; stack < tree.stacks(); stack++) {
      dictionary.called(tree.callers()[stack], tree.leaves()[stack]);
    }
    dictionary.stored(tree.stacks(), tree.frames().length);
    return dictionary;
  }

  /** As it is now, for a result. */
  synchronized StackTranslator part() {
    return StackTranslator.of(tree(), frameCount);
  }

  /** As it is now; later additions do not change it. */
  public synchronized StackTree tree() {
    return new StackTree(stackBase, stackCount, frameBase, callers, leaves, flags, frames);
  }
}
