package dev.plumb.server.api;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import java.util.Arrays;

/**
 * The stacks that contain a function, split at the function: its callees below, its callers above.
 * If the function calls itself, the outermost call counts.
 *
 * @param callers reversed stacks: the function is the root, its processes are the leaves
 * @param callees the function is the root
 */
record Sandwich(Profile callers, Profile callees) {
  private static final ThreadInfo NOBODY = new ThreadInfo(0, 0, 0, 0, "", "", "");

  static Sandwich of(Profile profile, String name, String module) {
    StackTable stacks = profile.stacks();
    boolean[] wanted = new boolean[stacks.frames().size()];
    for (int i = 0; i < wanted.length; i++) {
      Symbol symbol = Symbol.of(stacks.frames().get(i));
      wanted[i] =
          symbol.name().equals(name) && (module.isEmpty() || symbol.module().equals(module));
    }
    Side callers = new Side(profile);
    Side callees = new Side(profile);
    for (int row = 0; row < profile.rows(); row++) {
      int[] ids = stacks.frameIds(profile.stack(row));
      int at = ids.length - 1;
      while (at >= 0 && !wanted[ids[at]]) {
        at--;
      }
      if (at >= 0) {
        callees.add(row, Arrays.copyOf(ids, at + 1), null);
        int[] above = Arrays.copyOfRange(ids, at, ids.length);
        callers.add(row, reversed(above), profile.thread(row).processComm());
      }
    }
    return new Sandwich(callers.build(), callees.build());
  }

  private static int[] reversed(int[] ids) {
    int[] turned = new int[ids.length];
    for (int i = 0; i < ids.length; i++) {
      turned[i] = ids[ids.length - 1 - i];
    }
    return turned;
  }

  /** Builds one half. */
  private static final class Side {
    private final Profile source;
    private final StackTable.Builder stacks = new StackTable.Builder();
    private final Profile.Builder rows;
    private final int nobody;
    private final int noLabels;

    Side(Profile source) {
      this.source = source;
      rows =
          new Profile.Builder(
              source.mode(),
              source.name(),
              source.types(),
              source.mainType(),
              source.periodType(),
              source.period());
      nobody = rows.thread(NOBODY);
      noLabels = rows.labels(Labels.NONE);
    }

    /** Adds a stack; {@code process}, if there is one, becomes its leaf. */
    void add(int row, int[] leafFirst, String process) {
      int stack = stacks.empty(StackEnd.WHOLE);
      for (int i = leafFirst.length - 1; i >= 0; i--) {
        Frame frame = source.stacks().frames().get(leafFirst[i]);
        stack = stacks.called(stack, stacks.frame(frame));
      }
      if (process != null && !process.isEmpty()) {
        stack = stacks.called(stack, stacks.frame(Frame.ofName(process, FrameKind.WAITING)));
      }
      int copy = rows.row(stack, nobody, noLabels);
      for (int type = 0; type < source.types().size(); type++) {
        rows.add(copy, type, source.value(row, type));
      }
    }

    Profile build() {
      return rows.build(stacks.build(), Timeline.EMPTY, source.quality());
    }
  }
}
