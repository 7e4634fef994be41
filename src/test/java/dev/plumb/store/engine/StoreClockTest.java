package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.upkeep.Ageing;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock is set while the store is written: each sample is there exactly once. */
class StoreClockTest {
  private static final long MILLISECOND = 1_000_000;
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEAR = Duration.ofDays(365);
  private static final ProfileType WAITED = ProfileType.parse("off_cpu:time:nanoseconds::");

  @TempDir private Path folder;
  private final BruteForce truth = new BruteForce();
  private final RandomRecordings made = new RandomRecordings(11);
  private final List<TimeRange> ranges = new ArrayList<>();
  private long wallMillis = RandomRecordings.EPOCH / MILLISECOND;
  private long uptimeNanos = 5;

  private Store open() {
    return Store.open(
        StoreOptions.of(folder).withMaxAge(Duration.ofDays(30)),
        new Ageing.Clocks(() -> Instant.ofEpochMilli(wallMillis), () -> uptimeNanos));
  }

  private void pass(Duration time) {
    wallMillis += time.toMillis();
    uptimeNanos += time.toNanos();
  }

  private void set(Duration by) {
    wallMillis += by.toMillis();
  }

  /** Adds recordings of the next ten minutes. */
  private void record(Store store) {
    long start = wallMillis * MILLISECOND;
    Duration length = Duration.ofMinutes(10);
    try (Recording recording = made.recording(start, length.toNanos(), 100)) {
      store.add(recording, Labels.NONE);
      truth.add(recording, Labels.NONE);
    }
    pass(length);
    ranges.add(new TimeRange(start, start + length.toNanos()));
    ranges.add(new TimeRange(start + 61_000_000_000L, start + length.toNanos() / 2));
  }

  private void compare(Store store) {
    List<TimeRange> all = new ArrayList<>(ranges);
    all.add(TimeRange.ALL);
    for (TimeRange range : all) {
      Selection selection = Selection.of(WAITED, Selector.ALL, range);
      assertThat(BruteForce.merged(store.merged(selection), 0)).isEqualTo(truth.merged(selection));
    }
  }

  private static long total(Store store) {
    return store.merged(Selection.of(WAITED, Selector.ALL, TimeRange.ALL)).total(0);
  }

  @Test
  void keepsAllThatCameWhenTheClockIsSetForwardAndBack() {
    try (Store store = open()) {
      for (int day = 0; day < 5; day++) {
        record(store);
        store.settle();
        pass(DAY);
      }
      set(YEAR);
      record(store);
      // In one segment with samples of a year before.
      set(YEAR.negated());
      record(store);
      store.settle();
      pass(Duration.ofHours(1));
      store.settle();
      compare(store);
    }
    set(YEAR);
    try (Store store = open()) {
      store.settle();
      record(store);
      store.settle();
      compare(store);
    }
  }

  @Test
  void countsTimesThatCameTwiceTwice() {
    try (Store store = open()) {
      for (int round = 0; round < 9; round++) {
        record(store);
        record(store);
        set(Duration.ofMinutes(-13));
        if (round % 2 == 0) {
          store.settle();
        }
      }
      compare(store);
      store.settle();
      compare(store);
      long steps =
          Math.round(
              store
                  .timeline(
                      Selection.of(WAITED, Selector.ALL, store.span().orElseThrow()),
                      List.of(),
                      60_000_000_000L,
                      0)
                  .getFirst()
                  .total());
      assertThat(steps).isEqualTo(total(store));
    }
  }

  @Test
  void keepsNotesOfATimeBeforeAllSegments() throws InterruptedException {
    try (Store store = open()) {
      record(store);
      store.settle();
      pass(Duration.ofDays(29));
      record(store);
      store.settle();
      set(Duration.ofDays(-10));
      record(store);
      TimeRange last = ranges.get(ranges.size() - 2);
      assertThat(samples(store, last)).isEqualTo(100);
      long all = total(store);
      set(Duration.ofDays(10));
      pass(Duration.ofDays(2));
      // Without settle: the last samples are not in a segment yet.
      for (int i = 0; i < 200 && total(store) == all; i++) {
        Thread.sleep(100);
      }
      assertThat(total(store)).isLessThan(all);
      assertThat(samples(store, ranges.getFirst())).isZero();
      assertThat(samples(store, last)).isEqualTo(100);
    }
  }

  private static long samples(Store store, TimeRange range) {
    return store
        .quality(ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds"), range)
        .samples();
  }

  @Test
  void dropsWhatIsOldAsTimePasses() {
    try (Store store = open()) {
      record(store);
      store.settle();
      long first = total(store);
      pass(Duration.ofDays(20));
      record(store);
      store.settle();
      long both = total(store);
      assertThat(both).isGreaterThan(first);
      pass(Duration.ofDays(15));
      store.settle();
      assertThat(total(store)).isEqualTo(both - first);
      // A clock that stays a year ahead is believed eventually.
      set(YEAR);
      pass(Duration.ofHours(2));
      store.settle();
      assertThat(total(store)).isEqualTo(both - first);
      pass(Duration.ofDays(16));
      store.settle();
      assertThat(total(store)).isZero();
    }
  }
}
