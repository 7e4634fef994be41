package dev.plumb.store.engine;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes recordings with known content, which depends only on the seed. */
final class RandomRecordings {
  /** A wall-clock time at a whole hour. */
  static final long EPOCH = 1_700_002_800L * 1_000_000_000;

  static final long PERIOD = 10_101_010;

  private static final String[] REASONS = {"futex", "poll", "disk"};
  private static final String[] CGROUPS = {
    "",
    "/system.slice/nginx.service",
    "/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope"
  };

  private final Random random;

  RandomRecordings(long seed) {
    random = new Random(seed);
  }

  /** A recording of {@code cpu} and {@code offcpu} from a moment on. */
  Recording recording(long startNanos, long durationNanos, int samples) {
    StackTable.Builder stacks = new StackTable.Builder();
    int[] ids = new int[40];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = stack(stacks);
    }
    Profile.Builder cpu =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
            1,
            new ValueType("cpu", "nanoseconds"),
            PERIOD);
    Profile.Builder waits =
        new Profile.Builder(
            "offcpu",
            "off_cpu",
            List.of(new ValueType("waits", "count"), new ValueType("time", "nanoseconds")),
            1,
            new ValueType("time", "nanoseconds"),
            0);
    Timeline onCpu = fill(cpu, ids, startNanos, durationNanos, samples, false);
    Timeline offCpu = fill(waits, ids, startNanos, durationNanos, samples / 2, true);
    StackTable table = stacks.build();
    Quality quality =
        new Quality(samples, Map.of("ring buffer", 2L), Map.of(), Map.of("libx", 3L), 99, 98.5);
    return new Recording(
        startNanos,
        durationNanos,
        List.of(cpu.build(table, onCpu, quality), waits.build(table, offCpu, Quality.UNKNOWN)),
        Map.of("host", "here"));
  }

  private Timeline fill(
      Profile.Builder builder, int[] ids, long start, long duration, int samples, boolean waits) {
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    for (int i = 0; i < samples; i++) {
      long time = start + duration * i / samples / 1000 * 1000;
      int process = random.nextInt(6);
      int tid = 100 + process * 10 + random.nextInt(3);
      int thread =
          builder.thread(
              new ThreadInfo(
                  100 + process * 10,
                  tid,
                  1,
                  process * 1_000_000L,
                  "worker-" + tid % 10,
                  "prog" + process / 2,
                  CGROUPS[process % 3]));
      Labels labels =
          waits
              ? Labels.of(
                  "reason",
                  REASONS[random.nextInt(3)],
                  "waker",
                  "prog" + random.nextInt(3) + " (" + (100 + random.nextInt(4)) + ")")
              : Labels.NONE;
      int row = builder.row(ids[random.nextInt(ids.length)], thread, builder.labels(labels));
      long value = waits ? 1 + random.nextInt(50_000_000) : PERIOD;
      builder.add(row, 0, 1);
      builder.add(row, 1, value);
      timeline.append(time, row, random.nextInt(4), value);
    }
    return timeline.build();
  }

  private int stack(StackTable.Builder stacks) {
    int depth = 1 + random.nextInt(8);
    int stack = stacks.empty(random.nextInt(10) == 0 ? StackEnd.DEPTH : StackEnd.WHOLE);
    for (int i = 0; i < depth; i++) {
      int function = random.nextInt(12);
      boolean named = function != 0;
      stack =
          stacks.called(
              stack,
              stacks.frame(
                  new Frame(
                      named ? "f" + function : "[unknown in libx+0x10]",
                      random.nextInt(4) == 0 ? FrameKind.KERNEL : FrameKind.NATIVE,
                      false,
                      named,
                      "libx",
                      "abcd",
                      0x1000 + function,
                      function,
                      "x.c",
                      function)));
    }
    return stack;
  }

  /** What a client pushes: one window without timestamps, without a process. */
  Recording pushed(long startNanos, int rows) {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder =
        new Profile.Builder(
            "memory",
            "memory",
            List.of(
                new ValueType("alloc_objects", "count"),
                new ValueType("alloc_space", "bytes"),
                new ValueType("inuse_objects", "count"),
                new ValueType("inuse_space", "bytes")),
            3,
            new ValueType("space", "bytes"),
            524288);
    int thread = builder.thread(new ThreadInfo(0, 0, 0, 0, "", "", ""));
    int none = builder.labels(Labels.NONE);
    for (int i = 0; i < rows; i++) {
      int row = builder.row(stack(stacks), thread, none);
      for (int type = 0; type < 4; type++) {
        builder.add(row, type, random.nextInt(10_000));
      }
    }
    return new Recording(
        startNanos,
        15_000_000_000L,
        List.of(builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN)),
        Map.of());
  }

  /** Several consecutive recordings of five seconds each. */
  List<Recording> inARow(long startNanos, int count, int samples) {
    List<Recording> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(recording(startNanos + i * 5_000_000_000L, 5_000_000_000L, samples));
    }
    return all;
  }
}
