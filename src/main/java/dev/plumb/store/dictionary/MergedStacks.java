package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.PairIndex;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stacks of an answer, each once, from whatever dictionaries they come. Below a stack whose
 * callees were too small to keep stands a frame {@link #OTHER}, which stands for all of them.
 */
public final class MergedStacks {
  /** What was too small to keep. */
  public static final Frame OTHER = Frame.ofName("(other)", FrameKind.NATIVE);

  /** A stack: a pair, and its place in the index and in what is made of it. */
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
   * @param lines whether lines of source are told apart, not only functions
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

  /** What all of it takes. */
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

  /** The stack of what a caller called; what others called stays one. */
  public int called(int caller, int frame) {
    return stacks.second(caller) == other ? caller : stacks.add(caller, frame);
  }

  /** Adds what each stack has to all of its callers. */
  public void addUp(long[] totals) {
    for (int stack = stacks.size() - 1; stack >= ENDS.length; stack--) {
      totals[stacks.first(stack)] += totals[stack];
    }
  }

  public boolean isEnd(int stack) {
    return stack < ENDS.length;
  }

  /**
   * The same frames without small stacks.
   *
   * @param kept which stacks stay; a caller of one that stays does too
   * @param numbers receives what each stack is in the copy
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
