package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.ProcessSummary;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.dictionary.StoredFrames;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording of this machine comes out of the store as it went in. */
@RequiresRoot
class RealRecordingTest {
  @TempDir private Path folder;

  @Test
  void comesOutAsItWas() throws IOException, InterruptedException {
    Path file = folder.resolve("x.plumb");
    record(file);
    try (Recording recording = Formats.read(file).recording();
        Store store = Store.open(StoreOptions.of(folder.resolve("store")))) {
      store.add(recording, Labels.NONE);
      compare(recording, store);
      store.settle();
      compare(recording, store);
    }
  }

  private static void record(Path file) throws IOException, InterruptedException {
    Process plumb =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.plumb.cli.Plumb",
                "record",
                "cpu",
                "offcpu",
                "io",
                "faults",
                "--quiet",
                "-o",
                file.toString(),
                "--",
                "sh",
                "-c",
                "i=0; while [ $i -lt 300 ]; do cat /etc/passwd >/dev/null; i=$((i+1)); done")
            .inheritIO()
            .start();
    assertThat(plumb.waitFor()).isZero();
  }

  private static void compare(Recording recording, Store store) {
    for (Profile profile : recording.profiles()) {
      for (int type = 0; type < profile.types().size(); type++) {
        ProfileType asked = ProfileType.of(profile, type);
        Selection all = Selection.of(asked, Selector.ALL, TimeRange.ALL);
        Map<String, Long> wanted = BruteForce.merged(profile, type);
        Profile merged = store.merged(all);
        assertThat(BruteForce.merged(merged, 0)).as(asked.id()).isEqualTo(wanted);
        Set<Frame> frames = new HashSet<>(merged.stacks().frames());
        Set<Frame> recorded = new HashSet<>();
        profile.stacks().frames().forEach(frame -> recorded.add(StoredFrames.frame(frame)));
        assertThat(recorded).containsAll(frames);
        assertThat(store.processes(all, 0).stream().mapToLong(ProcessSummary::value).sum())
            .isEqualTo(profile.total(type));
      }
      ProfileType main = ProfileType.of(profile, profile.mainType());
      assertThat(store.quality(main, TimeRange.ALL)).isEqualTo(profile.quality());
      assertThat(profile.rows()).as(profile.mode()).isPositive();
    }
  }
}
