package dev.plumb.export.text;

import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import java.util.Arrays;

/** Collects what a text of stacks says; frames are given from the root or from the leaf. */
final class TextProfile {
  private final StackTable.Builder stacks = new StackTable.Builder();
  private final Profile.Builder rows;
  private final int noLabels;
  private int[] frames = new int[128];
  private int depth;

  TextProfile(Profile.Builder rows) {
    this.rows = rows;
    this.noLabels = rows.labels(Labels.NONE);
  }

  /** The id of a frame that comes again and again. */
  int frame(Frame frame) {
    return stacks.frame(frame);
  }

  void push(int frameId) {
    if (depth == frames.length) {
      frames = Arrays.copyOf(frames, depth * 2);
    }
    frames[depth++] = frameId;
  }

  int depth() {
    return depth;
  }

  /** What was pushed came from the root: turn it round. */
  void reverse() {
    for (int i = 0; i < depth / 2; i++) {
      int other = frames[depth - 1 - i];
      frames[depth - 1 - i] = frames[i];
      frames[i] = other;
    }
  }

  /** Ends the stack; the row it belongs to. */
  int row(ThreadInfo thread) {
    int row = rows.row(stacks.stack(frames, depth, StackEnd.WHOLE), rows.thread(thread), noLabels);
    depth = 0;
    return row;
  }

  void add(int row, int type, long value) {
    rows.add(row, type, value);
  }

  /** Text says nothing of what is missing from it, so the quality is not known. */
  Profile build(Timeline timeline) {
    return rows.build(stacks.build(), timeline, Quality.UNKNOWN);
  }
}
