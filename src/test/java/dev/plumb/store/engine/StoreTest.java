package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.store.Heatmap;
import dev.plumb.store.ProcessSummary;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of query, compared with a walk over all samples. */
class StoreTest {
  private static final long SECOND = 1_000_000_000;
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final ProfileType SAMPLES =
      ProfileType.parse("process_cpu:samples:count:cpu:nanoseconds");
  private static final ProfileType WAITS = ProfileType.parse("off_cpu:waits:count::");
  private static final ProfileType WAITED = ProfileType.parse("off_cpu:time:nanoseconds::");
  private static final ProfileType ALLOCATED =
      ProfileType.parse("memory:alloc_space:bytes:space:bytes");
  private static final List<ProfileType> TYPES =
      List.of(
          CPU,
          SAMPLES,
          WAITS,
          WAITED,
          ALLOCATED,
          ProfileType.parse("memory:alloc_objects:count:space:bytes"),
          ProfileType.parse("memory:inuse_objects:count:space:bytes"),
          ProfileType.parse("memory:inuse_space:bytes:space:bytes"));
  private static final List<String> SELECTORS =
      List.of(
          "{}",
          "{}",
          "{comm=\"prog1\"}",
          "{comm!=\"prog1\"}",
          "{service_name=~\"ng.*|prog0\"}",
          "{service_name!~\"ng.*\", host=\"here\"}",
          "{reason=\"futex\"}",
          "{reason!=\"futex\", region=~\".+\"}",
          "{pid=\"110\"}",
          "{pid=~\"1[12].\", thread!=\"worker-1\"}",
          "{thread=~\"worker-[02]\"}",
          "{waker=~\"prog1.*\"}",
          "{waker!=\"prog1 (101)\"}",
          "{waker=\"\"}",
          "{container=\"0123456789ab\"}",
          "{nothing=\"\"}",
          "{nothing=\"x\"}");

  @TempDir private static Path folder;
  private static Store store;
  private static final BruteForce TRUTH = new BruteForce();

  @BeforeAll
  static void fill() {
    store = Store.open(StoreOptions.of(folder));
    RandomRecordings made = new RandomRecordings(1);
    Labels none = Labels.NONE;
    Labels region = Labels.of("region", "eu", "service_name", "shop");
    for (Recording recording : made.inARow(RandomRecordings.EPOCH - 30 * SECOND, 12, 300)) {
      add(recording, none);
    }
    store.settle();
    for (int i = 0; i < 20; i++) {
      add(made.pushed(RandomRecordings.EPOCH + (i * 15 - 200) * SECOND, 30), region);
    }
    add(made.recording(RandomRecordings.EPOCH + 3700 * SECOND, 5 * SECOND, 100), region);
    // The clock was set back.
    add(made.recording(RandomRecordings.EPOCH - 5000 * SECOND, 5 * SECOND, 100), none);
    store.settle();
    // Late recordings, of times that segments already cover.
    for (Recording recording : made.inARow(RandomRecordings.EPOCH - 40 * SECOND, 3, 200)) {
      add(recording, none);
    }
    store.close();
    store = Store.open(StoreOptions.of(folder));
    assertThat(store.notices()).isEmpty();
    add(made.recording(RandomRecordings.EPOCH + 10 * SECOND, 5 * SECOND, 200), none);
  }

  private static void add(Recording recording, Labels labels) {
    TRUTH.add(recording, labels);
    store.add(recording, labels);
    recording.close();
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static List<Selection> selections(long seed, int count) {
    Random random = new Random(seed);
    List<Selection> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long from = RandomRecordings.EPOCH + random.nextInt(-60_000, 60_000) * 1_000_000L;
      long length = 1 + random.nextInt(90_000) * 1_000_000L;
      TimeRange range =
          switch (random.nextInt(4)) {
            case 0 -> TimeRange.ALL;
            case 1 ->
                new TimeRange(
                    RandomRecordings.EPOCH - 7200 * SECOND, RandomRecordings.EPOCH + 7200 * SECOND);
            default -> new TimeRange(from, from + length);
          };
      Selection.Slice slice =
          random.nextInt(4) == 0
              ? new Selection.Slice(random.nextInt(500_000) * 1000, 600_000_000)
              : Selection.Slice.WHOLE;
      all.add(
          new Selection(
              TYPES.get(random.nextInt(TYPES.size())),
              Selector.parse(SELECTORS.get(random.nextInt(SELECTORS.size()))),
              range,
              slice));
    }
    return all;
  }

  @Test
  void mergesStacks() {
    int found = 0;
    for (Selection selection : selections(2, 200)) {
      Profile profile = store.merged(selection);
      Map<String, Long> merged = BruteForce.merged(profile, 0);
      assertThat(merged).as("%s", selection).isEqualTo(TRUTH.merged(selection));
      assertThat(ProfileType.of(profile, 0)).isEqualTo(selection.type());
      found += merged.isEmpty() ? 0 : 1;
    }
    assertThat(found).isGreaterThan(60);
  }

  @Test
  void sumsOverTime() {
    List<List<String>> groups =
        List.of(
            List.of(),
            List.of("comm"),
            List.of("service_name", "reason"),
            List.of("pid"),
            List.of("thread", "comm"),
            List.of("waker"));
    Random random = new Random(3);
    for (Selection selection : selections(4, 150)) {
      if (selection.range().equals(TimeRange.ALL)) {
        continue;
      }
      List<String> by = groups.get(random.nextInt(groups.size()));
      long step = (1 + random.nextInt(20)) * SECOND;
      Map<Map<String, String>, double[]> wanted = new HashMap<>();
      long from = selection.range().fromNanos();
      int steps = (int) ((selection.range().toNanos() - from + step - 1) / step);
      TRUTH.each(
          selection,
          sample -> {
            Map<String, String> labels = new TreeMap<>(sample.labels());
            labels.keySet().retainAll(by);
            wanted
                    .computeIfAbsent(labels, l -> new double[steps])[
                    (int) ((sample.nanos() - from) / step)] +=
                sample.value();
          });
      Map<Map<String, String>, double[]> got = new HashMap<>();
      double last = Double.MAX_VALUE;
      for (TimeSeries series : store.timeline(selection, by, step, 0)) {
        got.put(series.labels().values(), series.values());
        assertThat(series.total()).isLessThanOrEqualTo(last);
        last = series.total();
      }
      wanted.values().removeIf(values -> java.util.Arrays.stream(values).sum() == 0);
      got.values().removeIf(values -> java.util.Arrays.stream(values).sum() == 0);
      assertThat(got.keySet()).as("%s by %s", selection, by).isEqualTo(wanted.keySet());
      got.forEach((labels, values) -> assertThat(values).isEqualTo(wanted.get(labels)));
    }
  }

  @Test
  void sumsTheRestWithoutLabels() {
    Selection all = Selection.of(CPU, Selector.ALL, hour());
    List<TimeSeries> whole = store.timeline(all, List.of("comm"), 60 * SECOND, 0);
    List<TimeSeries> cut = store.timeline(all, List.of("comm"), 60 * SECOND, 1);
    assertThat(whole).hasSizeGreaterThan(2);
    assertThat(cut).hasSize(2);
    assertThat(cut.getLast().labels()).isEqualTo(Labels.NONE);
    assertThat(cut.stream().mapToDouble(TimeSeries::total).sum())
        .isEqualTo(whole.stream().mapToDouble(TimeSeries::total).sum());
  }

  private static TimeRange hour() {
    return new TimeRange(
        RandomRecordings.EPOCH - 3600 * SECOND, RandomRecordings.EPOCH + 3600 * SECOND);
  }

  @Test
  void drawsHeatmaps() {
    for (Selection selection : selections(5, 100)) {
      if (selection.range().equals(TimeRange.ALL)) {
        continue;
      }
      Heatmap heatmap = store.heatmap(selection, 40, 50);
      long[] wanted = new long[heatmap.values().length];
      TRUTH.each(
          selection,
          sample -> {
            long second = sample.nanos() / SECOND - heatmap.startNanos() / SECOND;
            int column = (int) (second / heatmap.secondsPerColumn());
            int row = (int) (sample.nanos() % SECOND / (SECOND / 50));
            wanted[column * 50 + row] += sample.value();
          });
      assertThat(heatmap.values()).as("%s", selection).isEqualTo(wanted);
      assertThat(heatmap.columns()).isLessThanOrEqualTo(40);
    }
  }

  @Test
  void handsOutSamples() {
    for (Selection selection : selections(6, 60)) {
      Set<List<Object>> wanted = new HashSet<>();
      long[] sum = new long[1];
      TRUTH.each(
          selection,
          sample -> {
            sum[0] += sample.value();
            wanted.add(
                List.of(
                    sample.nanos(),
                    sample.thread().tid(),
                    sample.labels().getOrDefault("waker", ""),
                    sample.stack()));
          });
      try (Recording recording = store.samples(selection, 1_000_000)) {
        Profile profile = recording.main();
        Set<List<Object>> got = new HashSet<>();
        profile
            .timeline()
            .forEach(
                (time, row, cpu, value) ->
                    got.add(
                        List.of(
                            time,
                            profile.thread(row).tid(),
                            profile.labels(row).values().getOrDefault("waker", ""),
                            BruteForce.stackText(profile.stacks(), profile.stack(row)))));
        assertThat(got).as("%s", selection).isEqualTo(wanted);
        assertThat(profile.total(profile.mainType())).isEqualTo(sum[0]);
        assertThat(ProfileType.of(profile, profile.mainType())).isEqualTo(selection.type());
      }
    }
  }

  @Test
  void summarizesProcesses() {
    for (Selection selection : selections(7, 60)) {
      Map<String, Long> wanted = new TreeMap<>();
      Map<String, Set<Integer>> threads = new TreeMap<>();
      TRUTH.each(
          selection,
          sample -> {
            String comm =
                sample.thread().pid() == 0
                    ? sample.labels().get("service_name")
                    : sample.thread().processComm();
            String key = sample.thread().pid() + " " + comm;
            wanted.merge(key, sample.value(), Long::sum);
            threads.computeIfAbsent(key, k -> new HashSet<>()).add(sample.thread().tid());
          });
      Map<String, Long> got = new TreeMap<>();
      for (ProcessSummary summary : store.processes(selection, 0)) {
        String key = summary.pid() + " " + summary.comm();
        got.put(key, summary.value());
        assertThat(summary.threads()).isEqualTo(threads.get(key).size());
      }
      assertThat(got).as("%s", selection).isEqualTo(wanted);
    }
  }

  @Test
  void countsCutAndUnnamedSamples() {
    Selection all = Selection.of(CPU, Selector.ALL, TimeRange.ALL);
    long[] wanted = new long[3];
    TRUTH.each(
        all,
        sample -> {
          wanted[0]++;
          wanted[1] += sample.stack().startsWith("DEPTH") ? 1 : 0;
          wanted[2] += sample.stack().split(";")[1].startsWith("[unknown") ? 1 : 0;
        });
    List<ProcessSummary> processes = store.processes(all, 0);
    assertThat(processes.stream().mapToLong(ProcessSummary::samples).sum()).isEqualTo(wanted[0]);
    assertThat(processes.stream().mapToLong(ProcessSummary::cut).sum()).isEqualTo(wanted[1]);
    assertThat(processes.stream().mapToLong(ProcessSummary::unnamed).sum()).isEqualTo(wanted[2]);
    assertThat(wanted[1]).isPositive();
    assertThat(wanted[2]).isPositive();
  }

  @Test
  void knowsTypesAndLabels() {
    assertThat(store.types(TimeRange.ALL)).containsExactlyInAnyOrderElementsOf(TYPES);
    assertThat(store.types(new TimeRange(0, 1))).isEmpty();
    for (String text : SELECTORS) {
      Selector selector = Selector.parse(text);
      Set<String> names = new TreeSet<>();
      Map<String, Set<String>> values = new TreeMap<>();
      for (BruteForce.Sample sample : TRUTH.samples()) {
        if (BruteForce.matches(selector, sample.labels())) {
          sample
              .labels()
              .forEach(
                  (name, value) -> values.computeIfAbsent(name, n -> new TreeSet<>()).add(value));
        }
      }
      names.addAll(values.keySet());
      assertThat(store.labelNames(selector, TimeRange.ALL)).as(text).isEqualTo(names);
      for (String name : List.of("comm", "pid", "thread", "waker", "region", "nothing")) {
        assertThat(store.labelValues(name, selector, TimeRange.ALL))
            .as("%s of %s", name, text)
            .isEqualTo(values.getOrDefault(name, Set.of()));
      }
    }
  }

  @Test
  void listsSeries() {
    for (List<String> names :
        List.of(List.of("comm", "host"), List.of("pid", "comm"), List.of("waker"))) {
      Set<Map<String, String>> wanted = new HashSet<>();
      for (BruteForce.Sample sample : TRUTH.samples()) {
        Map<String, String> labels = new TreeMap<>(sample.labels());
        labels.keySet().retainAll(names);
        wanted.add(labels);
      }
      List<Labels> got = store.series(List.of(Selector.ALL), names, TimeRange.ALL);
      assertThat(got)
          .extracting(labels -> (Map<String, String>) labels.values())
          .as("%s", names)
          .containsExactlyInAnyOrderElementsOf(wanted);
    }
    assertThat(
            store.series(
                List.of(Selector.parse("{region=\"eu\", __name__=\"memory\"}")),
                List.of("__profile_type__", "service_name"),
                TimeRange.ALL))
        .hasSize(4)
        .contains(Labels.of("__profile_type__", ALLOCATED.id(), "service_name", "shop"));
  }

  @Test
  void knowsHowGoodItWas() {
    Quality quality = store.quality(SAMPLES, TimeRange.ALL);
    assertThat(quality.lost()).isEqualTo(Map.of("ring buffer", 36L));
    assertThat(quality.unnamed()).isEqualTo(Map.of("libx", 54L));
    assertThat(quality.samples()).isEqualTo(12 * 300 + 4 * 200 + 200);
    assertThat(quality.rateHeld()).isEqualTo(98.5);
    assertThat(store.quality(WAITS, TimeRange.ALL)).isEqualTo(Quality.UNKNOWN);
  }

  /** DuckDB's driver would leave 60 MB behind if this process were killed. */
  @Test
  void leavesNoLibraryBehind() throws IOException {
    List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
    assertThat(maps)
        .filteredOn(line -> line.contains("libduckdb_java"))
        .isNotEmpty()
        .allMatch(line -> line.endsWith("(deleted)"));
  }

  @Test
  void spansAll() {
    TimeRange span = store.span().orElseThrow();
    assertThat(span.fromNanos()).isEqualTo(RandomRecordings.EPOCH - 5000 * SECOND);
    assertThat(span.toNanos()).isGreaterThan(RandomRecordings.EPOCH + 3704 * SECOND);
  }
}
