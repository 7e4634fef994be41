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
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Crashes, full disks, and other processes that want the same folder. */
class StoreCrashTest {
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

  @Test
  void saysWhoHasIt() throws IOException, InterruptedException {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThatThrownBy(() -> Store.open(StoreOptions.of(folder)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("in use by this process");
      store.announce("http://localhost:4040");
      Process other = Crasher.start("open", folder);
      String said = new String(other.getInputStream().readAllBytes());
      assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(said)
          .contains("is in use by process " + ProcessHandle.current().pid())
          .contains("http://localhost:4040");
    }
  }

  @Test
  void staysWithinItsDisk() throws IOException {
    long budget = 16L << 20;
    long most = 0;
    try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(budget))) {
      RandomRecordings made = new RandomRecordings(3);
      for (int i = 0; i < 200; i++) {
        Recording recording =
            made.recording(RandomRecordings.EPOCH + i * 60 * SECOND, 60 * SECOND, 6000);
        store.add(recording, Labels.NONE);
        recording.close();
        if (i % 10 == 9) {
          store.settle();
        }
        most = Math.max(most, bytes());
      }
      store.settle();
      assertThat(most).isLessThan(budget * 11 / 10).isGreaterThan(budget / 2);
      TimeRange span = store.span().orElseThrow();
      assertThat(span.toNanos()).isGreaterThan(RandomRecordings.EPOCH + 199 * 60 * SECOND);
      assertThat(total(store)).isPositive();
      // There are sums of times whose samples were dropped.
      long samples = 0;
      for (long value :
          store
              .heatmap(new Selection(CPU, Selector.ALL, span, Selection.Slice.WHOLE), 500, 10)
              .values()) {
        samples += value;
      }
      assertThat(samples).isPositive().isLessThan(total(store));
    }
  }

  private long bytes() {
    return bytes(folder.toFile());
  }

  /** Files come and go while the folder is listed. */
  private static long bytes(File file) {
    File[] inside = file.listFiles();
    return inside == null ? file.length() : Arrays.stream(inside).mapToLong(f -> bytes(f)).sum();
  }

  @Test
  void dropsWhatIsTooOld() {
    StoreOptions options = StoreOptions.of(folder).withMaxAge(Duration.ofDays(1));
    try (Store store = Store.open(options)) {
      fill(store, 1, 3);
      assertThat(total(store)).isPositive();
      store.settle();
      assertThat(total(store)).isZero();
      assertThat(store.labelNames(Selector.ALL, TimeRange.ALL)).isEmpty();
    }
  }

  @Test
  void goesOnAfterAFullDisk() throws IOException, InterruptedException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path small = Files.createDirectory(folder.resolve("small"));
    run("mount", "-t", "tmpfs", "-o", "size=24m", "none", small.toString());
    try {
      try (Store store = Store.open(StoreOptions.of(small.resolve("store")))) {
        fill(store, 1, 2);
        long before = total(store);
        byte[] rest = new byte[1 << 20];
        Path filler = small.resolve("filler");
        try (var out = Files.newOutputStream(filler)) {
          for (int i = 0; i < 100; i++) {
            out.write(rest);
          }
        } catch (IOException e) {
          // Expected.
        }
        assertThatThrownBy(
                () -> {
                  for (int i = 0; i < 60; i++) {
                    fill(store, i, 10);
                    store.settle();
                  }
                })
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("full");
        assertThat(total(store)).isGreaterThanOrEqualTo(before);
        Files.delete(filler);
        long during = total(store);
        fill(store, 99, 2);
        assertThat(total(store)).isGreaterThan(during);
      }
      try (Store store = Store.open(StoreOptions.of(small.resolve("store")))) {
        assertThat(total(store)).isPositive();
      }
    } finally {
      run("umount", small.toString());
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
  }

  /** Flips bits all over a segment's files: a result is right, or the files are set aside. */
  @Test
  void worksWithoutADisk() {
    try (Store store = Store.inMemory(16 << 20)) {
      RandomRecordings made = new RandomRecordings(3);
      for (int i = 0; i < 60; i++) {
        Recording recording =
            made.recording(RandomRecordings.EPOCH + i * 60 * SECOND, 60 * SECOND, 6000);
        store.add(recording, Labels.NONE);
        recording.close();
        assertThat(store.span()).isPresent();
      }
      store.settle();
      store.settle();
      store.settle();
      long sum = total(store);
      assertThat(sum).isPositive().isLessThan(60 * 6000 * RandomRecordings.PERIOD);
    }
  }
}
