package dev.plumb.store.engine;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Recordings of programs that are hardly ever at the same place twice. */
public final class ManyStacks {
  public static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");

  private static final int FUNCTIONS = 2_000;
  private static final int DEPTH = 12;
  private static final long START = 1_700_000_000_000_000_000L;

  private ManyStacks() {}

  /** A recording with this many rows, and about ten times as many stacks. */
  public static Recording recording(int part, int rows) {
    Random random = new Random(part);
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("cpu", "nanoseconds")),
            0,
            new ValueType("cpu", "nanoseconds"),
            1);
    int labels = builder.labels(Labels.NONE);
    for (int i = 0; i < rows; i++) {
      int stack = stacks.empty(StackEnd.WHOLE);
      for (int depth = 0; depth < DEPTH; depth++) {
        // Some paths are more frequent than others.
        int function = (int) (FUNCTIONS * Math.pow(random.nextDouble(), 3));
        stack = stacks.called(stack, stacks.frame(frame(function)));
      }
      int pid = 1 + i % 50;
      int thread = builder.thread(new ThreadInfo(pid, pid, pid, 1, "t", "p" + pid % 5, ""));
      builder.add(builder.row(stack, thread, labels), 0, 1 + random.nextInt(1000));
    }
    Profile profile = builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    return new Recording(START + part * 1_000_000_000L, 0, List.of(profile), Map.of());
  }

  private static Frame frame(int function) {
    return Frame.ofName("some::name::of::a::function_" + function, FrameKind.NATIVE);
  }

  /** Fills a store and returns the total of all values. */
  public static long fill(Store store, int recordings, int rows) {
    long total = 0;
    for (int i = 0; i < recordings; i++) {
      try (Recording recording = recording(i, rows)) {
        store.add(recording, Labels.NONE);
        total += recording.profiles().getFirst().total(0);
      }
    }
    return total;
  }
}
