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
import dev.plumb.store.database.Database;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rollups give the same results as their segments. */
class StoreRollupTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final int SEGMENTS = 21;
  private static final ProfileType WAITED = ProfileType.parse("off_cpu:time:nanoseconds::");

  @TempDir private Path folder;
  private final BruteForce truth = new BruteForce();

  /** Makes a segment every ten minutes. */
  @BeforeEach
  void fill() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      RandomRecordings made = new RandomRecordings(5);
      for (int i = 0; i < SEGMENTS; i++) {
        try (Recording recording =
            made.recording(RandomRecordings.EPOCH + i * 10 * MINUTE, 10 * MINUTE, 100)) {
          store.add(recording, Labels.NONE);
          truth.add(recording, Labels.NONE);
        }
        store.settle();
      }
    }
  }

  private List<String> bundles() throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve("segments"))) {
      return all.map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("sums") && name.endsWith(".parquet"))
          .sorted()
          .toList();
    }
  }

  private void compare(Store store) {
    Random random = new Random(4);
    for (int i = 0; i < 20; i++) {
      int from = i == 0 ? 0 : random.nextInt(SEGMENTS * 10);
      int to = i == 0 ? SEGMENTS * 10 : from + 1 + random.nextInt(SEGMENTS * 10 - from);
      long odd = i % 3 == 2 ? random.nextLong(MINUTE) / 1000 * 1000 : 0;
      TimeRange range =
          new TimeRange(
              RandomRecordings.EPOCH + from * MINUTE + odd,
              RandomRecordings.EPOCH + to * MINUTE + odd);
      Selector selector = Selector.parse(i % 2 == 0 ? "{}" : "{comm=\"prog1\"}");
      Selection selection = Selection.of(WAITED, selector, range);
      assertThat(BruteForce.merged(store.merged(selection), 0)).isEqualTo(truth.merged(selection));
      long step = (1 + random.nextInt(30)) * MINUTE;
      double[] wanted =
          new double[(int) -Math.floorDiv(-(range.toNanos() - range.fromNanos()), step)];
      truth.each(
          selection,
          sample -> wanted[(int) ((sample.nanos() - range.fromNanos()) / step)] += sample.value());
      List<TimeSeries> series = store.timeline(selection, List.of(), step, 0);
      assertThat(series.isEmpty() ? new double[wanted.length] : series.getFirst().values())
          .as("%s by %d", selection, step)
          .isEqualTo(wanted);
    }
  }

  @Test
  void addsUp() throws IOException {
    assertThat(bundles())
        .containsExactly(
            "sums1-0.parquet",
            "sums1-1.parquet",
            "sums1-2.parquet",
            "sums1-3.parquet",
            "sums1-4.parquet",
            "sums2-0.parquet");
    try (Store store = Store.open(StoreOptions.of(folder))) {
      compare(store);
    }
    try (Store store = Store.openToRead(folder)) {
      compare(store);
    }
  }

  @Test
  void isMadeAgainIfItsFilesAreDamaged() throws IOException {
    Path short1 = folder.resolve("segments/sums1-2.parquet");
    Files.write(short1, new byte[50]);
    Files.delete(folder.resolve("segments/steps2-0.parquet"));
    Path wrong = folder.resolve("segments/sums1-4.parquet");
    byte[] bytes = Files.readAllBytes(wrong);
    for (int i = 4; i < bytes.length - 400; i++) {
      bytes[i] ^= 0x5a;
    }
    Files.write(wrong, bytes);
    List<String> before = bundles();
    try (Store store = Store.open(StoreOptions.of(folder))) {
      compare(store);
      assertThat(store.notices()).anyMatch(notice -> notice.contains("sums1-4"));
      store.settle();
      compare(store);
    }
    assertThat(bundles()).containsAll(before).doesNotContain("sums1-4.parquet.new");
    assertThat(Files.size(short1)).isGreaterThan(50);
  }

  @Test
  void goesWithTheSegmentsItIsOf() throws IOException {
    Files.delete(folder.resolve("segments/hour-6.parquet"));
    try (Store store = Store.open(StoreOptions.of(folder))) {
      store.settle();
      compare(store);
    }
    try (Store store = Store.open(StoreOptions.of(folder))) {
      compare(store);
    }
    assertThat(bundles())
        .containsExactly(
            "sums1-0.parquet", "sums1-2.parquet", "sums1-3.parquet", "sums1-4.parquet");
  }

  @Test
  void isMadeForAStoreThatHadNone() throws IOException, SQLException {
    List<String> before = bundles();
    try (Connection connection =
            DriverManager.getConnection("jdbc:duckdb:" + folder.resolve(Database.FILE));
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE bundles");
      statement.execute("DROP TABLE age_clock");
      statement.execute("UPDATE meta SET version = 1");
    }
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThat(store.notices()).isEmpty();
      compare(store);
      store.settle();
      compare(store);
    }
    assertThat(bundles()).isEqualTo(before);
  }
}
