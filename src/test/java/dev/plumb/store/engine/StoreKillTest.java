package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.ProfileType;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whenever a process dies, what it had written is there. */
class StoreKillTest {
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final Selection ALL = Selection.of(CPU, Selector.ALL, TimeRange.ALL);

  @TempDir private Path folder;

  /** A child process adds recordings and reports each flush; it is killed at any moment. */
  @Test
  void survivesKills() throws IOException, InterruptedException {
    Random random = new Random(5);
    long before = 0;
    long told = 0;
    for (int round = 0; round < 20; round++) {
      Process child = Crasher.start("write", folder);
      try (BufferedReader said = child.inputReader()) {
        long until = System.nanoTime() + (long) (random.nextDouble() * 0.4e9);
        String line = said.readLine();
        while (line != null && (System.nanoTime() < until || !line.startsWith("total"))) {
          told = line.startsWith("total ") ? Long.parseLong(line.substring(6)) : told;
          line = said.readLine();
        }
        child.destroyForcibly().waitFor();
      }
      try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(64 << 20))) {
        long now = store.merged(ALL).total(0);
        assertThat(now).as("round %d", round).isGreaterThanOrEqualTo(Math.max(before, told));
        assertThat(store.notices()).anyMatch(notice -> notice.contains("without closing"));
        before = now;
      }
    }
    assertThat(before).isPositive();
    try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(64 << 20))) {
      assertThat(store.notices()).isEmpty();
    }
  }
}
