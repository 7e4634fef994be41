package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.database.Database;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders and files in a bad state. */
class StoreDamageTest {
  private static final long SECOND = 1_000_000_000;
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final Selection ALL = Selection.of(CPU, Selector.ALL, TimeRange.ALL);

  @TempDir private Path folder;

  private static void fill(Store store, long seed, int recordings) {
    for (Recording recording :
        new RandomRecordings(seed).inARow(RandomRecordings.EPOCH, recordings, 500)) {
      store.add(recording, Labels.NONE);
      recording.close();
    }
  }

  private static long total(Store store) {
    return store.merged(ALL).total(0);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
  }

  @Test
  void refusesAFolderThatCannotBeWritten() throws IOException, InterruptedException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path small = Files.createDirectory(folder.resolve("small"));
    run("mount", "-t", "tmpfs", "-o", "size=8m,ro", "none", small.toString());
    try {
      assertThatThrownBy(() -> Store.open(StoreOptions.of(small.resolve("store"))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("read-only")
          .hasMessageContaining("--store");
      assertThatThrownBy(() -> Store.open(StoreOptions.of(small)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("--store");
    } finally {
      run("umount", small.toString());
    }
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> Store.open(StoreOptions.of(file)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("--store");
  }

  @Test
  void refusesTablesOfANewerVersion() throws SQLException {
    Store.open(StoreOptions.of(folder)).close();
    try (Connection connection =
            DriverManager.getConnection("jdbc:duckdb:" + folder.resolve(Database.FILE));
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE meta SET version = 1000");
    }
    assertThatThrownBy(() -> Store.open(StoreOptions.of(folder)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("newer Plumb");
  }

  @Test
  void setsADamagedDatabaseAside() throws IOException {
    long before;
    try (Store store = Store.open(StoreOptions.of(folder))) {
      fill(store, 1, 3);
      store.settle();
      before = total(store);
    }
    Files.write(folder.resolve(Database.FILE), new byte[100_000]);
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThat(store.notices()).anyMatch(notice -> notice.contains("set aside as"));
      assertThat(total(store)).isEqualTo(before);
      fill(store, 2, 1);
      assertThat(total(store)).isPositive();
    }
    assertThat(folder.resolve(Database.FILE + ".broken-1")).hasSize(100_000);
  }

  @Test
  void setsADamagedLogAside() throws IOException {
    Path log = folder.resolve(Database.FILE + ".wal");
    try (Store store = Store.open(StoreOptions.of(folder))) {
      fill(store, 1, 2);
      total(store);
      Files.copy(log, folder.resolve("copy"));
    }
    byte[] bytes = Files.readAllBytes(folder.resolve("copy"));
    for (int i = 40; i < bytes.length; i += 7) {
      bytes[i] ^= 0x55;
    }
    Files.write(log, bytes);
    try (Store store = Store.open(StoreOptions.of(folder))) {
      fill(store, 2, 1);
      assertThat(total(store)).isPositive();
    }
  }

  @Test
  void setsDamagedSegmentsAside() throws IOException {
    Random random = new Random(7);
    for (int round = 0; round < 6; round++) {
      Path place = folder.resolve("store" + round);
      long first;
      try (Store store = Store.open(StoreOptions.of(place))) {
        fill(store, round, 4);
        store.settle();
        first = total(store);
        fill(store, round + 100, 4);
        store.settle();
      }
      List<Path> files;
      try (Stream<Path> all = Files.list(place.resolve("segments"))) {
        files = all.filter(file -> file.toString().contains("-1.parquet")).sorted().toList();
      }
      assertThat(files).hasSize(5);
      for (Path file : files) {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
          if (round == 0) {
            bytes.setLength(bytes.length() / 2);
          }
          for (int i = 0; i < 200; i++) {
            bytes.seek(4 + random.nextLong(bytes.length() - 8));
            bytes.write(random.nextInt(256));
          }
        }
      }
      try (Store store = Store.open(StoreOptions.of(place))) {
        assertThat(total(store)).isPositive();
        TimeRange range =
            new TimeRange(RandomRecordings.EPOCH + 1, RandomRecordings.EPOCH + SECOND);
        store.heatmap(Selection.of(CPU, Selector.ALL, range), 10, 10);
        store.timeline(Selection.of(CPU, Selector.ALL, range), List.of("pid"), SECOND, 0);
        store.processes(ALL, 10);
        assertThat(store.notices()).isNotEmpty();
        fill(store, 200, 1);
        assertThat(total(store)).isPositive();
      }
      assertThat(first).isPositive();
      try (Stream<Path> all = Files.list(place.resolve("segments"))) {
        assertThat(all.filter(file -> file.toString().contains(".broken-"))).isNotEmpty();
      }
    }
  }
}
