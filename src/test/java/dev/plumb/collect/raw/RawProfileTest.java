package dev.plumb.collect.raw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.mode.SampleSink;
import dev.plumb.process.BackingFiles;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessTable;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Samples add up in rows, and each is kept with its time. */
class RawProfileTest {
  private static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "m", "m", 1, new ValueType("n", "count"), new ValueType("time", "nanoseconds"));

  private record Key(int stack, int thread, int detail) {}

  @Test
  void rowsAddUp() {
    RawProfile profile = new RawProfile(MEANING, RowBudget.unlimited());
    Map<Key, Long> sums = new HashMap<>();
    Map<Key, Long> counts = new HashMap<>();
    Random random = new Random(2);
    for (int i = 0; i < 100_000; i++) {
      Key key = new Key(random.nextInt(300), random.nextInt(20), random.nextInt(3));
      profile.add(i, key.stack(), key.thread(), key.detail(), i % 2, i);
      sums.merge(key, (long) i, Long::sum);
      counts.merge(key, 1L, Long::sum);
    }
    assertThat(profile.samples()).isEqualTo(100_000);
    assertThat(profile.rows()).isEqualTo(sums.size());
    for (int row = 0; row < profile.rows(); row++) {
      Key key = new Key(profile.stack(row), profile.thread(row), profile.detail(row));
      assertThat(profile.amount(row, 1)).isEqualTo(sums.remove(key));
      assertThat(profile.count(row)).isEqualTo(counts.get(key));
    }
    assertThat(sums).as("every row once").isEmpty();
  }

  @Test
  void rowsOfAllProfilesAreBounded() {
    RowBudget room = new RowBudget(100);
    RawProfile one = new RawProfile(MEANING, room);
    RawProfile other = new RawProfile(MEANING, room);
    for (int i = 0; i < 80; i++) {
      one.add(i, i, 1, 0, 0, 1);
      other.addAll(i, i, 1, 0, 3, 30);
    }
    assertThat(one.rows() + other.rows()).isEqualTo(100);
    assertThat(one.samples() + one.withoutRow() + other.samples() + other.withoutRow())
        .isEqualTo(80 + 3 * 80);
    one.add(81, 0, 1, 0, 0, 1);
    assertThat(one.count(0)).as("what is there goes on").isEqualTo(2);
    RawProfile part = one.cut();
    other.add(82, 1000, 1, 0, 0, 1);
    assertThat(other.rows()).as("they are still held").isEqualTo(50);
    part.clearRows();
    other.add(83, 1000, 1, 0, 0, 1);
    assertThat(other.rows()).isEqualTo(51);
  }

  @Test
  void sumsOfSeveralTypesAddUp() {
    RawProfile profile = new RawProfile(MEANING, RowBudget.unlimited());
    profile.addAll(1000, 1, 1, 0, 3, 30);
    profile.addAll(2000, 1, 1, 0, 2, 50);
    profile.addAll(2000, 2, 1, 0, 1, 7);
    assertThat(profile.samples()).isEqualTo(6);
    assertThat(profile.rows()).isEqualTo(2);
    assertThat(profile.count(0)).isEqualTo(5);
    assertThat(profile.amount(0, 1)).isEqualTo(80);
    assertThat(profile.amount(1, 1)).isEqualTo(7);
  }

  @Test
  void aCutBeginsAnew() {
    RawProfile profile = new RawProfile(MEANING, RowBudget.unlimited());
    profile.add(1000, 1, 1, 0, 0, 5);
    RawProfile before = profile.cut();
    profile.add(2000, 2, 1, 0, 0, 7);
    profile.add(3000, 2, 1, 0, 0, 7);
    assertThat(before.rows()).isEqualTo(1);
    assertThat(before.samples()).isEqualTo(1);
    assertThat(before.amount(0, 1)).isEqualTo(5);
    assertThat(profile.rows()).isEqualTo(1);
    assertThat(profile.stack(0)).isEqualTo(2);
    assertThat(profile.amount(0, 1)).isEqualTo(14);
    try (CompactTimeline first = before.timeline();
        CompactTimeline second = profile.timeline()) {
      assertThat(first.size()).isEqualTo(1);
      assertThat(second.size()).isEqualTo(2);
    }
  }

  @Test
  void timesAreKeptInTheOrderOfComing() {
    RawProfile profile = new RawProfile(MEANING, RowBudget.unlimited());
    profile.add(1000, 1, 1, 0, 0, 5);
    profile.add(900, 2, 1, 0, 1, 7);
    profile.add(1100, 1, 1, 0, 1, 5);
    List<String> seen = new ArrayList<>();
    try (CompactTimeline timeline = profile.timeline()) {
      timeline.forEach(
          (time, row, cpu, value) -> seen.add(time + " " + row + " " + cpu + " " + value));
    }
    assertThat(seen).containsExactly("1000 0 0 5", "900 1 1 7", "1100 0 1 5");
  }

  /** Rows are in memory; only the times go to a file when there are many. */
  @Test
  void aFullTemporaryDiskCostsTimesOnly() {
    String temporary = System.getProperty("java.io.tmpdir");
    System.setProperty("java.io.tmpdir", "/no/such/folder");
    try {
      RawProfile profile = new RawProfile(MEANING, RowBudget.unlimited());
      Random random = new Random(3);
      for (int i = 0; i < 4_000_000; i++) {
        profile.add(random.nextLong(), i % 100, 0, 0, 0, random.nextLong());
      }
      assertThat(profile.samples()).isEqualTo(4_000_000);
      assertThat(profile.untimed()).isPositive();
      try (CompactTimeline timeline = profile.timeline()) {
        assertThat(timeline.size() + profile.untimed()).isEqualTo(4_000_000);
      }
    } finally {
      System.setProperty("java.io.tmpdir", temporary);
    }
  }

  @Test
  void aSampleWhoseStackNeverCameIsCounted() {
    RawProcesses processes = new RawProcesses((pid, time) -> Optional.empty(), image -> {});
    RawStacks stacks = new RawStacks(processes, RawStacks.Limits.ofHeap(0));
    ProcessFinder finder = new ProcessFinder(new ProcessTable(), new BackingFiles(1));
    SampleSink samples =
        new SampleSink(stacks, processes, new RawThreads(), finder, new ClockOffsets());
    RawProfile profile = new RawProfile(MEANING, RowBudget.unlimited());
    samples.add(List.of(profile), 1, 42, 7, 0, 0, 1);
    assertThat(profile.withoutStack()).isEqualTo(1);
    assertThat(profile.samples()).isZero();
    finder.close();
  }
}
