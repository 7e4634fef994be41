package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.table.PairIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stacks of a result, each once, from any number of dictionaries. A frame {@link #OTHER}
 * replaces the callees of a stack that were too small to keep.
 */
public final class MergedStacks {
  /** Replaces stacks that were too small to keep. */
  public static final Frame OTHER = Frame.ofName("(other)", FrameKind.NATIVE);

  /** Per stack: a pair, its index slots, and its copy in the profile. */
  static final int STACK_BYTES = 40;

  private static final int FRAME_BYTES = 200;
  private static final int NO_FRAME = -1;
  private static final int NO_OTHER = -2;
  private static final StackEnd[] ENDS = StackEnd.values();

  private final boolean lines;
  private final List<Frame> frames;
  private final Map<Frame, Integer> frameIds;
  private final PairIndex stacks = new PairIndex();

  /** The number of {@link #OTHER}, once it is needed. */
  private int other = NO_OTHER;

  /**
   * @param lines whether source lines are distinguished, not only functions
   */
  public MergedStacks(boolean lines) {
    this(lines, new ArrayList<>(), new HashMap<>());
  }

  private MergedStacks(boolean lines, List<Frame> frames, Map<Frame, Integer> frameIds) {
    this.lines = lines;
    this.frames = frames;
    this.frameIds = frameIds;
    for (StackEnd end : ENDS) {
      stacks.add(NO_FRAME - end.ordinal(), NO_FRAME);
    }
  }

  public int size() {
    return stacks.size();
  }

  /** The memory that all of it takes. */
  public long bytes() {
    return (long) STACK_BYTES * stacks.size() + (long) FRAME_BYTES * frames.size();
  }

  public int empty(int end) {
    return end;
  }

  public int frame(Frame frame) {
    Frame merged = lines ? StoredFrames.frame(frame) : functionOf(frame);
    Integer known = frameIds.putIfAbsent(merged, frames.size());
    if (known != null) {
      return known;
    }
    frames.add(merged);
    return frames.size() - 1;
  }

  private static Frame functionOf(Frame frame) {
    Frame stored = StoredFrames.frame(frame);
    return stored.file().isEmpty() && stored.line() == 0 && stored.buildId().isEmpty()
        ? stored
        : new Frame(
            stored.name(),
            stored.kind(),
            stored.inlined(),
            stored.named(),
            stored.module(),
            "",
            0,
            0,
            stored.file(),
            0);
  }

  /** The stack of a callee; callees of {@link #OTHER} stay in it. */
  public int called(int caller, int frame) {
    return stacks.second(caller) == other ? caller : stacks.add(caller, frame);
  }

  /** Adds each stack's total to those of all its callers. */
  public void addUp(long[] totals) {
    for (int stack = stacks.size() - 1; stack >= ENDS.length; stack--) {
      totals[stacks.first(stack)] += totals[stack];
    }
  }

  public boolean isEnd(int stack) {
    return stack < ENDS.length;
  }

  /**
   * A copy with the same frames but without small stacks.
   *
   * @param kept the stacks to keep; with a stack, all its callers are kept
   * @param numbers receives each stack's number in the copy
   */
  public MergedStacks without(boolean[] kept, int[] numbers) {
    MergedStacks copy = new MergedStacks(lines, frames, frameIds);
    copy.other = copy.frame(OTHER);
    for (int stack = 0; stack < stacks.size(); stack++) {
      if (isEnd(stack)) {
        numbers[stack] = stack;
        continue;
      }
      int caller = numbers[stacks.first(stack)];
      numbers[stack] = copy.called(caller, kept[stack] ? stacks.second(stack) : copy.other);
    }
    return copy;
  }

  public StackTable build() {
    StackTable.Builder table = new StackTable.Builder();
    frames.forEach(table::newFrame);
    for (int stack = ENDS.length; stack < stacks.size(); stack++) {
      table.newStack(stacks.first(stack), stacks.second(stack));
    }
    return table.build();
  }
}
