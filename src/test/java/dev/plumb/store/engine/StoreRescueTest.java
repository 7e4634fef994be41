package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.database.Database;
import dev.plumb.store.segment.SegmentFolder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A damaged database: all segments are found again, and what else can be read is kept. */
class StoreRescueTest {
  private static final long SECOND = 1_000_000_000;
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final int SEGMENTS = 3;
  private static final long HOUR = 3600 * SECOND;
  private static final long LATER = RandomRecordings.EPOCH + SEGMENTS * HOUR;

  /** The places to damage, one per round. */
  private static final int PLACES = 36;

  @TempDir private Path folder;

  private Path whole;
  private Map<String, Long> inSegments;
  private Map<String, Long> everything;

  /** Three segments, and rows that are in no segment yet. */
  @BeforeEach
  void fill() {
    whole = folder.resolve("whole");
    try (Store store = Store.open(StoreOptions.of(whole))) {
      for (int i = 0; i < SEGMENTS; i++) {
        add(store, i, RandomRecordings.EPOCH + i * HOUR);
        store.settle();
      }
      add(store, SEGMENTS, LATER);
      inSegments = stacks(store, LATER);
      everything = stacks(store, Long.MAX_VALUE);
    }
    assertThat(inSegments).isNotEqualTo(everything);
  }

  private static void add(Store store, int seed, long time) {
    try (Recording recording = new RandomRecordings(seed).recording(time, 5 * SECOND, 500)) {
      store.add(recording, Labels.of("service_name", "service-" + seed));
    }
  }

  /** Values per stack and service, up to a time: each must have its right name. */
  private static Map<String, Long> stacks(Store store, long before) {
    Map<String, Long> values = new TreeMap<>();
    TimeRange range = new TimeRange(TimeRange.ALL.fromNanos(), before);
    for (String service : store.labelValues("service_name", Selector.ALL, range)) {
      Selector selector = Selector.parse("{service_name=\"" + service + "\"}");
      Profile merged = store.merged(Selection.of(CPU, selector, range));
      for (int row = 0; row < merged.rows(); row++) {
        StringBuilder text = new StringBuilder(service);
        for (int s = merged.stack(row);
            !merged.stacks().isEmpty(s);
            s = merged.stacks().caller(s)) {
          text.append(';').append(merged.stacks().frames().get(merged.stacks().leaf(s)).name());
        }
        values.merge(text.toString(), merged.value(row, 0), Long::sum);
      }
    }
    return values;
  }

  private Path copy(String name) throws IOException {
    Path copy = folder.resolve(name);
    try (Stream<Path> files = Files.walk(whole)) {
      for (Path file : files.toList()) {
        Path to = copy.resolve(whole.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(to);
        } else {
          Files.copy(file, to);
        }
      }
    }
    return copy;
  }

  private static void flip(Path file, long at, int count) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 0; i < count && at + i < bytes.length(); i++) {
        bytes.seek(at + i);
        int old = bytes.read();
        bytes.seek(at + i);
        bytes.write(old ^ 0x5a);
      }
    }
  }

  /** The store opens, has all segments, accepts more, and opens again without notices. */
  private void assertRescued(Path place, String what) throws IOException {
    Map<String, Long> after;
    try (Store store = Store.open(StoreOptions.of(place))) {
      assertThat(stacks(store, LATER)).as(what).isEqualTo(inSegments);
      after = stacks(store, Long.MAX_VALUE);
      if (!after.equals(everything)) {
        assertThat(store.notices()).as(what).anyMatch(notice -> notice.contains("lost: "));
      }
      if (!store.notices().stream().allMatch(notice -> notice.startsWith("others may enter"))) {
        assertThat(store.notices())
            .as(what)
            .anyMatch(notice -> notice.contains("set aside as") || notice.contains("is empty"));
      }
      add(store, 9, LATER + HOUR);
      store.settle();
      Map<String, Long> more = stacks(store, Long.MAX_VALUE);
      assertThat(more).as(what).containsAllEntriesOf(onlyOld(after, more)).hasSizeGreaterThan(0);
    }
    try (Store store = Store.open(StoreOptions.of(place))) {
      assertThat(store.notices())
          .as(what)
          .allMatch(notice -> notice.startsWith("others may enter"));
      assertThat(stacks(store, LATER)).as(what).isEqualTo(inSegments);
      assertThat(store.labelValues("service_name", Selector.ALL, TimeRange.ALL))
          .as(what)
          .contains("service-9");
    }
  }

  /** Earlier rows have the same values as before; later rows have another service. */
  private static Map<String, Long> onlyOld(Map<String, Long> old, Map<String, Long> more) {
    assertThat(more.keySet()).containsAll(old.keySet());
    return old;
  }

  @Test
  void aDamagedBlockHidesNoSegment() throws IOException {
    long size = Files.size(whole.resolve(Database.FILE));
    int said = 0;
    for (int i = 0; i < PLACES; i++) {
      // The headers of 4 KB each come first, then blocks.
      long at = i < 4 ? i * 4096L + 16 : (size - 12_288) * (i - 4) / (PLACES - 4) + 12_288 + 100;
      Path place = copy("flipped" + i);
      flip(place.resolve(Database.FILE), at, 16);
      assertRescued(place, "damaged at %d of %d".formatted(at, size));
      try (Stream<Path> files = Files.list(place)) {
        said += files.anyMatch(file -> file.toString().contains(".broken-")) ? 1 : 0;
      }
    }
    assertThat(said).isPositive();
  }

  @Test
  void aCutDatabaseHidesNoSegment() throws IOException {
    long size = Files.size(whole.resolve(Database.FILE));
    for (long left :
        List.of(0L, 100L, 4096L, 12_288L, 20_000L, size / 4, size / 2, size * 3 / 4, size - 4096)) {
      Path place = copy("cut" + left);
      try (RandomAccessFile bytes =
          new RandomAccessFile(place.resolve(Database.FILE).toFile(), "rw")) {
        bytes.setLength(left);
      }
      assertRescued(place, "cut to %d of %d".formatted(left, size));
    }
    Path place = copy("gone");
    Files.delete(place.resolve(Database.FILE));
    assertRescued(place, "no database");
  }

  @Test
  void aDamagedFileOfNamesCostsItsSegment() throws IOException {
    Path place = copy("names");
    Path names = new SegmentFolder(place).names().of(2).getFirst();
    flip(names, Files.size(names) / 2, 200);
    flip(place.resolve(Database.FILE), 0, 12_288);
    try (Store store = Store.open(StoreOptions.of(place))) {
      Map<String, Long> left = stacks(store, LATER);
      assertThat(left.keySet()).anyMatch(stack -> stack.startsWith("service-0"));
      assertThat(left.keySet()).noneMatch(stack -> stack.startsWith("service-1"));
      assertThat(left.keySet()).anyMatch(stack -> stack.startsWith("service-2"));
      assertThat(store.notices())
          .anyMatch(notice -> notice.matches(".*names-2-.*parquet.broken-1.*"));
      assertThat(store.notices()).anyMatch(notice -> notice.contains("raw-2.parquet.broken-1"));
    }
  }
}
