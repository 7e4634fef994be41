package dev.plumb.export.plumb;

import dev.plumb.export.wire.VarIn;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** The tables of a part of a {@code .plumb} file, as far as they have been read. */
final class PlumbTablesIn {
  private static final FrameKind[] KINDS = FrameKind.values();

  /** A file of a later version may have more ends than this one knows; none has as many. */
  private static final int MOST_ENDS = 128;

  private final List<String> strings = new ArrayList<>();
  private final List<ThreadInfo> threads = new ArrayList<>();
  private final List<Labels> labels = new ArrayList<>();
  private final StackTable.Builder stacks;
  private final ReadingPlan plan;
  private int[] frameIds = new int[1024];
  private int frameCount;
  private int[] stackIds = new int[1024];
  private int stackCount;
  private int[] scratch = new int[256];

  /**
   * @param stacks where they go, those of all parts
   */
  PlumbTablesIn(StackTable.Builder stacks, ReadingPlan plan) {
    this.stacks = stacks;
    this.plan = plan;
  }

  void strings(VarIn in) {
    while (in.more()) {
      strings.add(in.text());
    }
  }

  private String string(VarIn in) {
    return strings.get(in.below(strings.size(), "text"));
  }

  void frames(VarIn in) {
    while (in.more()) {
      String name = string(in);
      int flags = in.below(KINDS.length << 2, "kind of frame");
      Frame frame =
          new Frame(
              name,
              KINDS[flags >> 2],
              (flags & 1) != 0,
              (flags & 2) != 0,
              string(in),
              string(in),
              in.number(),
              in.signed(),
              string(in),
              in.integer("line"));
      if (frameCount == frameIds.length) {
        frameIds = Arrays.copyOf(frameIds, frameCount * 2);
      }
      frameIds[frameCount++] = stacks.frame(frame);
    }
  }

  void stacks(VarIn in) {
    while (in.more()) {
      int depth = in.count("frames");
      StackEnd end = StackEnd.ofOrdinal(in.below(MOST_ENDS, "end of stack"));
      if (depth > scratch.length) {
        scratch = new int[depth];
      }
      for (int i = 0; i < depth; i++) {
        scratch[i] = frameIds[in.below(frameCount, "frame")];
      }
      if (stackCount == stackIds.length) {
        stackIds = Arrays.copyOf(stackIds, stackCount * 2);
      }
      boolean full = stacks.size() >= plan.maxStacks();
      stackIds[stackCount++] =
          full
              ? stacks.stack(scratch, Math.min(depth, 1), StackEnd.TOO_MANY)
              : stacks.stack(scratch, depth, end);
    }
  }

  void threads(VarIn in) {
    while (in.more()) {
      threads.add(
          plan.of(
              new ThreadInfo(
                  in.integer("pid"),
                  in.integer("tid"),
                  in.integer("pid"),
                  in.signed(),
                  string(in),
                  string(in),
                  string(in))));
    }
  }

  void labels(VarIn in) {
    while (in.more()) {
      int count = in.count("labels");
      TreeMap<String, String> values = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        values.put(string(in), string(in));
      }
      labels.add(plan.of(new Labels(values)));
    }
  }

  int stack(VarIn in) {
    return stackIds[in.below(stackCount, "stack")];
  }

  int threadNumber(VarIn in) {
    return in.below(threads.size(), "thread");
  }

  ThreadInfo thread(int number) {
    return threads.get(number);
  }

  int labelsNumber(VarIn in) {
    return in.below(labels.size(), "set of labels");
  }

  Labels labelSet(int number) {
    return labels.get(number);
  }
}
