package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
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
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Merged profiles count samples exactly, whatever frequencies the recordings had. */
class SampleCountsTest {
  private static final long SECOND = 1_000_000_000;
  private static final long START = 1_700_000_000 * SECOND;
  private static final ValueType SAMPLES = new ValueType("samples", "count");
  private static final ValueType CPU = new ValueType("cpu", "nanoseconds");
  private static final ThreadInfo THREAD = new ThreadInfo(7, 7, 7, 1, "t", "prog", "");
  private static final TimeRange MINUTE = new TimeRange(START, START + 60 * SECOND);

  @TempDir private Path folder;

  /** A recording whose functions have so many samples, with timestamps and counts. */
  private static Recording recorded(long start, int hertz, Map<String, Integer> samples) {
    long period = SECOND / hertz;
    Profile.Builder rows =
        new Profile.Builder("cpu", "process_cpu", List.of(SAMPLES, CPU), 1, CPU, period);
    StackTable.Builder stacks = new StackTable.Builder();
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    long time = start;
    for (Map.Entry<String, Integer> entry : samples.entrySet()) {
      int row = row(rows, stacks, entry.getKey());
      rows.add(row, 0, entry.getValue());
      rows.add(row, 1, entry.getValue() * period);
      for (int i = 0; i < entry.getValue(); i++) {
        timeline.append(time += period, row, 0, period);
      }
    }
    return recording(start, rows.build(stacks.build(), timeline.build(), Quality.UNKNOWN));
  }

  /** A profile as clients push it: neither timestamps nor counts. */
  private static Recording pushed(long start, int hertz, Map<String, Integer> samples) {
    long period = SECOND / hertz;
    Profile.Builder rows = new Profile.Builder("cpu", "process_cpu", List.of(CPU), 0, CPU, period);
    StackTable.Builder stacks = new StackTable.Builder();
    samples.forEach((function, count) -> rows.add(row(rows, stacks, function), 0, count * period));
    return recording(start, rows.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN));
  }

  private static int row(Profile.Builder rows, StackTable.Builder stacks, String function) {
    int frame = stacks.frame(Frame.ofName(function, FrameKind.NATIVE));
    int stack = stacks.called(stacks.empty(StackEnd.WHOLE), frame);
    return rows.row(stack, rows.thread(THREAD), rows.labels(Labels.NONE));
  }

  private static Recording recording(long start, Profile profile) {
    return new Recording(start, 10 * SECOND, List.of(profile), Map.of());
  }

  private static Map<String, Long> values(Profile profile, int type) {
    Map<String, Long> values = new TreeMap<>();
    StackTable stacks = profile.stacks();
    for (int row = 0; row < profile.rows(); row++) {
      Frame leaf = stacks.frames().get(stacks.leaf(profile.stack(row)));
      values.merge(leaf.name(), profile.value(row, type), Long::sum);
    }
    return values;
  }

  private static void assertCounts(Store store, TimeRange range, Map<String, Long> counts) {
    ProfileType type = ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
    Selection selection = Selection.of(type, Selector.ALL, range);
    List<Profile> both =
        List.of(store.mergedWithCounts(selection), store.functionsWithCounts(selection));
    for (Profile profile : both) {
      assertThat(profile.types()).containsExactly(SAMPLES, CPU);
      assertThat(profile.mainType()).isEqualTo(1);
      assertThat(values(profile, 0)).isEqualTo(counts);
      assertThat(values(profile, 1)).isEqualTo(values(store.merged(selection), 0));
    }
  }

  @Test
  void recordingsOfDifferentFrequenciesAreCountedExactly() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      store.add(recorded(START + SECOND, 99, Map.of("f", 7, "g", 2)), Labels.NONE);
      store.add(recorded(START + 20 * SECOND, 999, Map.of("f", 50, "g", 13)), Labels.NONE);
      Map<String, Long> counts = Map.of("f", 57L, "g", 15L);
      assertCounts(store, MINUTE, counts); // the current table
      store.settle();
      assertCounts(store, MINUTE, counts); // single samples of a segment, which the range cuts
      assertCounts(store, TimeRange.ALL, counts); // sums
      TimeRange second = new TimeRange(START + 20 * SECOND, START + 40 * SECOND);
      assertCounts(store, second, Map.of("f", 50L, "g", 13L));
    }
  }

  @Test
  void profilesWithoutCountsAreCountedByTheirOwnPeriod() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      store.add(pushed(START + SECOND, 99, Map.of("f", 7, "g", 2)), Labels.NONE);
      store.add(pushed(START + 20 * SECOND, 999, Map.of("f", 50, "g", 13)), Labels.NONE);
      store.settle();
      assertCounts(store, MINUTE, Map.of("f", 57L, "g", 15L));
    }
  }

  @Test
  void whereNoSampleStandsForATimeThereAreNoCounts() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      RandomRecordings made = new RandomRecordings(1);
      store.add(made.recording(RandomRecordings.EPOCH, SECOND, 100), Labels.NONE);
      ProfileType waited = ProfileType.parse("off_cpu:time:nanoseconds::");
      Selection selection = Selection.of(waited, Selector.ALL, TimeRange.ALL);
      Profile merged = store.mergedWithCounts(selection);
      assertThat(merged.rows()).isPositive();
      assertThat(merged.types()).containsExactly(new ValueType("time", "nanoseconds"));
    }
  }
}
