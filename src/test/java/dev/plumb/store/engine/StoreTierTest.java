package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sums per hour and minute, and samples at the edges of a range, add up to the truth. */
class StoreTierTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final ProfileType WAITED = ProfileType.parse("off_cpu:time:nanoseconds::");
  private static final List<String> SELECTORS =
      List.of("{}", "{comm=\"prog1\"}", "{reason=~\"f.*\"}");

  @TempDir private Path folder;
  private final BruteForce truth = new BruteForce();

  /** Five hours, with a segment every 70 minutes, so that segments overlap hours. */
  @BeforeEach
  void fill() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      RandomRecordings made = new RandomRecordings(9);
      for (int i = 0; i < 30; i++) {
        try (Recording recording =
            made.recording(RandomRecordings.EPOCH + i * 10 * MINUTE, 10 * MINUTE, 400)) {
          store.add(recording, Labels.NONE);
          truth.add(recording, Labels.NONE);
        }
        if (i % 7 == 6) {
          store.settle();
        }
      }
    }
  }

  private static TimeRange range(Random random, long unit) {
    long units = 5 * HOUR / unit;
    long from = random.nextLong(units);
    long to = from + 1 + random.nextLong(units - from);
    return new TimeRange(RandomRecordings.EPOCH + from * unit, RandomRecordings.EPOCH + to * unit);
  }

  private void compare(Store store, long unit, int times) {
    Random random = new Random(unit);
    for (int i = 0; i < times; i++) {
      Selector selector = Selector.parse(SELECTORS.get(i % SELECTORS.size()));
      Selection selection = Selection.of(WAITED, selector, range(random, unit));
      Map<String, Long> wanted = truth.merged(selection);
      assertThat(BruteForce.merged(store.merged(selection), 0))
          .as("%s", selection)
          .isEqualTo(wanted);
      double sum = wanted.values().stream().mapToLong(Long::longValue).sum();
      long step = Math.max(unit, 250_000_000) * (1 + random.nextInt(5));
      assertThat(
              store.timeline(selection, List.of("comm"), step, 0).stream()
                  .mapToDouble(TimeSeries::total)
                  .sum())
          .isEqualTo(sum);
    }
  }

  @Test
  void addsUpWhereverARangeIsCut() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      compare(store, HOUR, 12);
      compare(store, MINUTE, 20);
      compare(store, SECOND, 20);
      compare(store, 1_000_000, 20);
    }
  }

  @Test
  void isExactToTheMinuteWithoutSamples() throws IOException {
    delete("raw-");
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThat(store.notices()).isNotEmpty();
      compare(store, MINUTE, 20);
      compare(store, HOUR, 12);
      Selection all = Selection.of(WAITED, Selector.ALL, store.span().orElseThrow());
      assertThat(store.merged(all).total(0))
          .isGreaterThan(store.samples(all, 10_000).main().total(1));
    }
  }

  @Test
  void isExactToTheHourWithoutMinutes() throws IOException {
    delete("raw-");
    delete("minute-");
    try (Store store = Store.open(StoreOptions.of(folder))) {
      compare(store, HOUR, 12);
      assertThat(store.labelValues("comm", Selector.ALL, TimeRange.ALL))
          .containsExactly("prog0", "prog1", "prog2");
    }
  }

  private void delete(String prefix) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder.resolve("segments"))) {
      files = all.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
    assertThat(files).hasSizeGreaterThan(2);
    for (Path file : files) {
      Files.delete(file);
    }
  }
}
