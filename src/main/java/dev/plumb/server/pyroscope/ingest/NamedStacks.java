package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects stacks of names, with one value each, into a recording. */
public final class NamedStacks {
  /** A thread without a process, because these formats name none. */
  public static final ThreadInfo NOBODY = new ThreadInfo(0, 0, 0, 0, "", "", "");

  private final IngestLimits limits;
  private final StackTable.Builder stacks = new StackTable.Builder();
  private final Map<String, Integer> frameIds = new HashMap<>();
  private final Profile.Builder rows;
  private final int thread;
  private final int noLabels;
  private final long scale;
  private int samples;

  /** {@code sampleRate} is the number of samples per second, if samples stand for time. */
  NamedStacks(IngestLimits limits, PushedType type, long sampleRate) {
    this.limits = limits;
    this.scale = type.timed() ? 1_000_000_000L / sampleRate : 1;
    ValueType value = new ValueType(type.type(), type.unit());
    ValueType period = type.timed() ? new ValueType("cpu", "nanoseconds") : new ValueType("", "");
    this.rows =
        new Profile.Builder(
            type.name().equals("process_cpu") ? "cpu" : type.name(),
            type.name(),
            List.of(value),
            0,
            period,
            type.timed() ? scale : 0);
    this.thread = rows.thread(NOBODY);
    this.noLabels = rows.labels(Labels.NONE);
  }

  /** The id of a frame. */
  int frame(String name) {
    if (frameIds.size() > limits.maxFrames()) {
      throw new FormatException("more than %d different frames".formatted(limits.maxFrames()));
    }
    return frameIds.computeIfAbsent(
        name, text -> stacks.frame(Frame.ofName(text, FrameKind.NATIVE)));
  }

  /** Adds a stack, given by its frames from the root on. */
  public void add(int[] fromRoot, int depth, long value) {
    int kept = Math.min(depth, limits.maxDepth());
    int stack = stacks.empty(kept < depth ? StackEnd.DEPTH : StackEnd.WHOLE);
    for (int i = 0; i < kept; i++) {
      stack = stacks.called(stack, fromRoot[i]);
    }
    if (stacks.size() > limits.maxStackNodes()) {
      throw new FormatException(
          "more than %d different stack prefixes".formatted(limits.maxStackNodes()));
    }
    if (++samples > limits.maxSamples()) {
      throw new FormatException("more than %d stacks".formatted(limits.maxSamples()));
    }
    if (value > Long.MAX_VALUE / 1_000 / scale) {
      throw new FormatException("a value is too large: %d".formatted(value));
    }
    rows.add(rows.row(stack, thread, noLabels), 0, value * scale);
  }

  /** Adds a stack written as {@code a;b;c}. */
  void addFolded(String stack, long value) {
    int[] frames = new int[16];
    int depth = 0;
    int from = 0;
    while (from <= stack.length()) {
      int semicolon = stack.indexOf(';', from);
      int to = semicolon < 0 ? stack.length() : semicolon;
      if (depth == frames.length) {
        frames = Arrays.copyOf(frames, depth * 2);
      }
      if (to > from && depth <= limits.maxDepth()) {
        frames[depth++] = frame(stack.substring(from, to));
      }
      from = to + 1;
    }
    add(frames, depth, value);
  }

  Recording recording(long startNanos, long durationNanos) {
    Profile profile = rows.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    return new Recording(startNanos, durationNanos, List.of(profile), Map.of());
  }
}
