package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.SpoolMark;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of a spool is added once, whatever happens between its commit and its deletion. */
class StoreSpoolMarkTest {
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");

  @TempDir private Path folder;

  private static long total(Store store, String service) {
    Selector selector = Selector.parse("{service_name=\"" + service + "\"}");
    return store.merged(Selection.of(CPU, selector, TimeRange.ALL)).total(0);
  }

  private static boolean add(Store store, String source, long number) {
    try (Recording recording =
        new RandomRecordings(number).inARow(RandomRecordings.EPOCH, 1, 20).getFirst()) {
      return store.addCommitted(
          recording, Labels.of("service_name", source), new SpoolMark(source, number));
    }
  }

  @Test
  void addsEachNumberOfASourceOnce() {
    long once;
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThat(store.lastAdded("here")).isEmpty();
      assertThat(add(store, "here", 0)).isTrue();
      assertThat(store.lastAdded("here")).hasValue(0);
      once = total(store, "here");
      assertThat(add(store, "here", 0)).isFalse();
      assertThat(total(store, "here")).isEqualTo(once).isPositive();
      assertThat(add(store, "it's there", 7)).isTrue();
      assertThat(add(store, "it's there", 9)).isTrue();
      assertThat(add(store, "it's there", 8)).isFalse();
    }
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThat(store.lastAdded("here")).hasValue(0);
      assertThat(store.lastAdded("it's there")).hasValue(9);
      assertThat(add(store, "here", 0)).isFalse();
      assertThat(total(store, "here")).isEqualTo(once);
      assertThat(add(store, "here", 1)).isTrue();
      assertThat(total(store, "here")).isGreaterThan(once);
    }
  }

  /** A child process adds numbered files and is killed at any moment; the next one continues. */
  @Test
  void aKillAddsNothingTwiceAndLosesNothing() throws IOException, InterruptedException {
    Random random = new Random(11);
    long said = -1;
    for (int round = 0; round < 6; round++) {
      Process child = Crasher.start("spool", folder);
      try (BufferedReader lines = child.inputReader()) {
        String line = lines.readLine();
        long until = System.nanoTime() + 50_000_000 + (long) (random.nextDouble() * 0.5e9);
        while (line != null && System.nanoTime() < until) {
          said = line.startsWith("added ") ? Long.parseLong(line.substring(6)) : said;
          line = lines.readLine();
        }
        child.destroyForcibly().waitFor();
      }
      try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(64 << 20))) {
        long last = store.lastAdded("child").orElseThrow();
        assertThat(last).isGreaterThanOrEqualTo(said);
        assertThat(total(store, "child"))
            .as("files 0 to %d", last)
            .isEqualTo((last + 1) * Crasher.SPOOLED);
      }
    }
    assertThat(said).isGreaterThan(10);
  }
}
