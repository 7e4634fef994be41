package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.plumb.profile.ValueType;
import dev.plumb.store.Matcher;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.write.RowMaker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Concurrent use, too much of anything, and queries that would run forever. */
class StoreLoadTest {
  private static final long SECOND = 1_000_000_000;
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final ProfileType WAITED = ProfileType.parse("off_cpu:time:nanoseconds::");
  private static final Selection ALL = Selection.of(CPU, Selector.ALL, TimeRange.ALL);

  @TempDir private Path folder;

  @Test
  void isReadByManyWhileItIsWritten() throws InterruptedException {
    AtomicReference<Throwable> failed = new AtomicReference<>();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> readers = new ArrayList<>();
    try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(32 << 20))) {
      for (int i = 0; i < 4; i++) {
        readers.add(
            Thread.startVirtualThread(
                () -> {
                  try {
                    long before = 0;
                    while (!done.get()) {
                      long now = store.merged(ALL).total(0);
                      assertThat(now).isGreaterThanOrEqualTo(before);
                      before = now;
                      store.processes(ALL, 10);
                      store.labelNames(Selector.ALL, TimeRange.ALL);
                    }
                  } catch (Throwable e) {
                    failed.compareAndSet(null, e);
                  }
                }));
      }
      RandomRecordings made = new RandomRecordings(3);
      for (int i = 0; i < 40; i++) {
        try (Recording recording =
            made.recording(RandomRecordings.EPOCH + i * 5 * SECOND, 5 * SECOND, 1500)) {
          store.add(recording, Labels.NONE);
        }
        if (i % 8 == 7) {
          store.settle();
        }
        // A query sees what was added before.
        assertThat(store.merged(ALL).total(0)).isEqualTo((i + 1) * 1500 * RandomRecordings.PERIOD);
      }
      done.set(true);
      for (Thread reader : readers) {
        reader.join(Duration.ofSeconds(60));
      }
    }
    assertThat(failed.get()).isNull();
  }

  @Test
  void answersHostilePatterns() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      try (Recording recording =
          new RandomRecordings(1).recording(RandomRecordings.EPOCH, SECOND, 100)) {
        store.add(recording, Labels.of("long", "a".repeat(5000)));
      }
      long begin = System.nanoTime();
      for (String pattern : List.of("(a+)+b", "(a|a)*b", "(.*a){12}b", "([a-z]+)*x")) {
        for (String name : List.of("long", "thread", "pid", "waker")) {
          Selector selector =
              new Selector(List.of(new Matcher(name, Matcher.Operator.MATCHES, pattern)));
          assertThat(store.merged(Selection.of(CPU, selector, TimeRange.ALL)).rows()).isZero();
        }
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
      Selector lookahead =
          new Selector(List.of(new Matcher("comm", Matcher.Operator.MATCHES, "(?=a)a")));
      assertThatThrownBy(() -> store.merged(Selection.of(CPU, lookahead, TimeRange.ALL)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("pattern");
      assertThatThrownBy(() -> new Matcher("comm", Matcher.Operator.MATCHES, "(".repeat(5000)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void stopsWhenItsThreadIsInterrupted() throws InterruptedException {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      AtomicReference<Throwable> ended = new AtomicReference<>();
      Thread asking =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      store.sql(
                          "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3",
                          new SqlTable() {
                            @Override
                            public void columns(List<String> names, List<Boolean> numeric) {}

                            @Override
                            public void row(List<String> cells, boolean[] nulls) {}
                          });
                    } catch (Throwable e) {
                      ended.set(e);
                    }
                  });
      Thread.sleep(300);
      asking.interrupt();
      asking.join(Duration.ofSeconds(10));
      assertThat(ended.get()).isInstanceOf(StoreException.class).hasMessageContaining("cancelled");
      assertThat(store.types(TimeRange.ALL)).isEmpty();
    }
  }

  /** So many waits that short ones are summed up per second; the sums stay exact. */
  @Test
  void sumsShortWaitsWhenTheyAreMany() {
    try (Store store = Store.open(StoreOptions.of(folder));
        Recording waits = manyWaits(60_000)) {
      store.add(waits, Labels.NONE);
      Profile profile = waits.main();
      Selection all = Selection.of(WAITED, Selector.ALL, TimeRange.ALL);
      assertThat(BruteForce.merged(store.merged(all), 0)).isEqualTo(BruteForce.merged(profile, 1));
      Selection counts =
          Selection.of(ProfileType.parse("off_cpu:waits:count::"), Selector.ALL, TimeRange.ALL);
      assertThat(store.merged(counts).total(0)).isEqualTo(60_000);
      try (Recording samples = store.samples(all, 100_000)) {
        long[] longOnes = new long[1];
        samples
            .main()
            .timeline()
            .forEach((time, row, cpu, value) -> longOnes[0] += value == 5_000_000 ? 1 : 0);
        assertThat(longOnes[0]).isEqualTo(600);
        assertThat(samples.main().timeline().size()).isLessThan(1000);
      }
    }
  }

  private static Recording manyWaits(int count) {
    StackTable.Builder stacks = new StackTable.Builder();
    int stack =
        stacks.called(
            stacks.empty(StackEnd.WHOLE), stacks.frame(Frame.ofName("[futex]", FrameKind.WAITING)));
    Profile.Builder builder =
        new Profile.Builder(
            "offcpu",
            "off_cpu",
            List.of(new ValueType("waits", "count"), new ValueType("time", "nanoseconds")),
            1,
            new ValueType("time", "nanoseconds"),
            0);
    int none = builder.labels(Labels.NONE);
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    for (int i = 0; i < count; i++) {
      int thread = builder.thread(new ThreadInfo(10, 10 + i % 5, 10, 7, "t", "p", ""));
      int row = builder.row(stack, thread, none);
      long value = i % 100 == 0 ? 5_000_000 : 1000 + i % 77;
      builder.add(row, 0, 1);
      builder.add(row, 1, value);
      timeline.append(RandomRecordings.EPOCH + i * 80_000L, row, 0, value);
    }
    return new Recording(
        RandomRecordings.EPOCH,
        5 * SECOND,
        List.of(builder.build(stacks.build(), timeline.build(), Quality.UNKNOWN)),
        Map.of());
  }

  /** Any number of label values makes a limited number of series; all can be queried. */
  @Test
  void boundsTheNumberOfSeries() {
    int names = RowMaker.MAX_SERIES + 500;
    try (Store store = Store.open(StoreOptions.of(folder));
        Recording recording = manyNames(names)) {
      store.add(recording, Labels.NONE);
      assertThat(store.merged(ALL).total(0)).isEqualTo(names * RandomRecordings.PERIOD);
      assertThat(store.series(List.of(), List.of(), TimeRange.ALL))
          .hasSize(RowMaker.MAX_SERIES + 1)
          .contains(Labels.of("service_name", "(others)"));
      Selector last = Selector.parse("{comm=\"p" + (names - 1) + "\"}");
      Profile found = store.merged(Selection.of(CPU, last, TimeRange.ALL));
      assertThat(found.total(0)).isEqualTo(RandomRecordings.PERIOD);
    }
  }

  private static Recording manyNames(int count) {
    StackTable.Builder stacks = new StackTable.Builder();
    int stack =
        stacks.called(
            stacks.empty(StackEnd.WHOLE), stacks.frame(Frame.ofName("f", FrameKind.NATIVE)));
    Profile.Builder builder =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("cpu", "nanoseconds")),
            0,
            new ValueType("cpu", "nanoseconds"),
            RandomRecordings.PERIOD);
    int none = builder.labels(Labels.NONE);
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    for (int i = 0; i < count; i++) {
      int thread = builder.thread(new ThreadInfo(i + 1, i + 1, i + 1, 1, "p" + i, "p" + i, ""));
      int row = builder.row(stack, thread, none);
      builder.add(row, 0, RandomRecordings.PERIOD);
      timeline.append(RandomRecordings.EPOCH + i * 1000L, row, 0, RandomRecordings.PERIOD);
    }
    return new Recording(
        RandomRecordings.EPOCH,
        SECOND,
        List.of(builder.build(stacks.build(), timeline.build(), Quality.UNKNOWN)),
        Map.of());
  }

  /** More stacks than one dictionary holds: there are several, and old ones are dropped. */
  @Test
  void usesSeveralDictionaries() {
    long wanted = 0;
    try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(16 << 20))) {
      for (int i = 0; i < 12; i++) {
        try (Recording recording = manyStacks(i, 2500)) {
          store.add(recording, Labels.NONE);
          wanted += 2500 * RandomRecordings.PERIOD;
        }
        assertThat(store.merged(ALL).total(0)).isEqualTo(wanted);
      }
      assertThat(store.merged(ALL).stacks().frames()).hasSize(12 * 2500);
      store.settle();
    }
    try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(16 << 20))) {
      Profile merged = store.merged(ALL);
      assertThat(merged.total(0)).isEqualTo(wanted);
      assertThat(merged.stacks().frames()).hasSize(12 * 2500);
    }
  }

  private static Recording manyStacks(int part, int count) {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("cpu", "nanoseconds")),
            0,
            new ValueType("cpu", "nanoseconds"),
            RandomRecordings.PERIOD);
    int thread = builder.thread(new ThreadInfo(1, 1, 1, 1, "x", "x", ""));
    int none = builder.labels(Labels.NONE);
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    for (int i = 0; i < count; i++) {
      int frame = stacks.frame(Frame.ofName("f" + part + "_" + i, FrameKind.NATIVE));
      int row = builder.row(stacks.called(stacks.empty(StackEnd.WHOLE), frame), thread, none);
      builder.add(row, 0, RandomRecordings.PERIOD);
      timeline.append(
          RandomRecordings.EPOCH + part * SECOND + i * 1000L, row, 0, RandomRecordings.PERIOD);
    }
    return new Recording(
        RandomRecordings.EPOCH + part * SECOND,
        SECOND,
        List.of(builder.build(stacks.build(), timeline.build(), Quality.UNKNOWN)),
        Map.of());
  }
}
