package dev.plumb.server.api;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;
import dev.plumb.profile.Timeline;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which frames and stacks a graph leaves out or merges. The page's shape.js does the same; here it
 * is applied before a file is written, so that the file contains what the page showed.
 *
 * @param focus only stacks with one of these functions stay
 * @param exclude stacks with one of these functions are left out
 * @param hide frames of these functions are left out; their callees move up
 * @param kernel whether kernel frames stay
 * @param recursion whether a function that calls itself keeps all its frames
 * @param modules whether each frame is replaced by its module
 */
record FrameFilter(
    Set<String> focus,
    Set<String> exclude,
    Set<String> hide,
    boolean kernel,
    boolean recursion,
    boolean modules) {

  /** The parameters {@code x} ({@code focus:name} …), {@code k}, {@code r} and {@code m}. */
  static FrameFilter of(ApiParameters asked) {
    List<String> changes = asked.all("x");
    return new FrameFilter(
        names(changes, "focus:"),
        names(changes, "exclude:"),
        names(changes, "hide:"),
        !asked.text("k").equals("0"),
        !asked.text("r").equals("0"),
        asked.flag("m"));
  }

  private static Set<String> names(List<String> changes, String what) {
    Set<String> names = new HashSet<>();
    for (String change : changes) {
      if (change.startsWith(what)) {
        names.add(change.substring(what.length()));
      }
    }
    return names;
  }

  boolean isNone() {
    return focus.isEmpty()
        && exclude.isEmpty()
        && hide.isEmpty()
        && kernel
        && recursion
        && !modules;
  }

  Profile apply(Profile profile) {
    if (isNone()) {
      return profile;
    }
    StackTable source = profile.stacks();
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder rows =
        new Profile.Builder(
            profile.mode(),
            profile.name(),
            profile.types(),
            profile.mainType(),
            profile.periodType(),
            profile.period());
    for (int row = 0; row < profile.rows(); row++) {
      int[] ids = source.frameIds(profile.stack(row));
      String process = profile.thread(row).processComm();
      if (!stays(source, ids, process)) {
        continue;
      }
      int stack = stacks.empty(source.end(profile.stack(row)));
      Frame above = null;
      for (int i = ids.length - 1; i >= 0; i--) {
        Frame frame = source.frames().get(ids[i]);
        if (isHidden(frame)) {
          continue;
        }
        Frame shown = modules ? module(frame) : frame;
        if (above == null || !(modules || !recursion) || !isSame(above, shown)) {
          stack = stacks.called(stack, stacks.frame(shown));
          above = shown;
        }
      }
      int copy =
          rows.row(stack, rows.thread(profile.thread(row)), rows.labels(profile.labels(row)));
      for (int type = 0; type < profile.types().size(); type++) {
        rows.add(copy, type, profile.value(row, type));
      }
    }
    return rows.build(stacks.build(), Timeline.EMPTY, profile.quality());
  }

  private boolean stays(StackTable source, int[] ids, String process) {
    boolean focused = focus.isEmpty() || focus.contains(process);
    for (int id : ids) {
      String name = Symbol.of(source.frames().get(id)).name();
      if (exclude.contains(name)) {
        return false;
      }
      focused |= focus.contains(name);
    }
    return focused && !exclude.contains(process);
  }

  private boolean isHidden(Frame frame) {
    return !kernel && frame.kind() == FrameKind.KERNEL || hide.contains(Symbol.of(frame).name());
  }

  private static boolean isSame(Frame above, Frame below) {
    return Symbol.of(above).function().equals(Symbol.of(below).function());
  }

  private static Frame module(Frame frame) {
    if (frame.kind() == FrameKind.WAITING) {
      return frame;
    }
    String none = frame.kind() == FrameKind.KERNEL ? "[kernel]" : "[no module]";
    String module = frame.module().isEmpty() ? none : frame.module();
    String name = module.substring(module.lastIndexOf('/') + 1);
    return new Frame(name, frame.kind(), false, true, module, "", 0, 0, "", 0);
  }
}
