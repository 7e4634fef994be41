package dev.plumb.export.pprof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.Formats;
import dev.plumb.export.Mutants;
import dev.plumb.export.RoundTrip;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PprofTest {
  @Test
  void keepsTypesQualityThreadsAndLabels() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      for (Profile expected : recording.profiles()) {
        Recording read =
            RoundTrip.reread(recording, "pprof", RoundTrip.OPTIONS.withMode(expected.mode()))
                .recording();
        Profile actual = read.main();
        assertThat(read.startNanos()).isEqualTo(recording.startNanos());
        assertThat(read.durationNanos()).isEqualTo(recording.durationNanos());
        assertThat(read.facts()).isEqualTo(recording.facts());
        assertThat(actual.mode()).isEqualTo(expected.mode());
        assertThat(actual.name()).isEqualTo(expected.name());
        assertThat(actual.types()).isEqualTo(expected.types());
        assertThat(actual.mainType()).isEqualTo(expected.mainType());
        assertThat(actual.period()).isEqualTo(expected.period());
        assertThat(actual.quality()).isEqualTo(expected.quality());
        assertThat(actual.rows()).isEqualTo(expected.rows());
        assertThat(actual.labelSets()).containsAll(expected.labelSets());
        for (int row = 0; row < actual.rows(); row++) {
          assertThat(actual.thread(row).tid()).isEqualTo(expected.thread(row).tid());
          assertThat(actual.thread(row).innerPid()).isEqualTo(expected.thread(row).innerPid());
          assertThat(actual.thread(row).cgroup()).isEqualTo(expected.thread(row).cgroup());
          assertThat(actual.labels(row)).isEqualTo(expected.labels(row));
          assertThat(actual.stacks().end(actual.stack(row)))
              .isEqualTo(expected.stacks().end(expected.stack(row)));
        }
      }
    }
  }

  @Test
  void inlinedFramesShareALocation() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      Profile read =
          RoundTrip.reread(recording, "pprof", RoundTrip.OPTIONS.withMode("cpu"))
              .recording()
              .main();
      assertThat(read.stacks().frames()).anySatisfy(f -> assertThat(f.inlined()).isTrue());
      int inlined = 0;
      for (int stack = 0; stack < read.stacks().size(); stack++) {
        int[] ids = read.stacks().frameIds(stack);
        if (ids.length > 1 && read.stacks().frames().get(ids[0]).inlined()) {
          inlined++;
          assertThat(read.stacks().frames().get(ids[0]).elfAddress())
              .isEqualTo(read.stacks().frames().get(ids[1]).elfAddress());
        }
      }
      assertThat(inlined).isPositive();
    }
  }

  @Test
  void goShowsTheSameFunctions(@TempDir Path folder) throws Exception {
    Path go = ExternalTools.need("go");
    try (Recording recording = TestRecordings.varied()) {
      for (Profile profile : recording.profiles()) {
        Path file = folder.resolve(profile.mode() + ".pb.gz");
        Formats.save(recording, file, RoundTrip.OPTIONS.withMode(profile.mode()));
        for (int type = 0; type < profile.types().size(); type++) {
          String name = profile.types().get(type).name();
          String unit = profile.types().get(type).unit();
          String top =
              ExternalTools.runIn(
                  folder,
                  go,
                  "tool",
                  "pprof",
                  "-symbolize=none",
                  "-top",
                  "-nodecount=0",
                  "-nodefraction=0",
                  "-sample_index=" + name,
                  "-unit=" + unit,
                  file);
          assertThat(flat(top)).as("%s %s", profile.mode(), name).isEqualTo(self(profile, type));
        }
        String raw =
            ExternalTools.runIn(folder, go, "tool", "pprof", "-symbolize=none", "-raw", file);
        assertThat(raw).contains("spin abcdef0123456789").contains("comm:[java]");
      }
    }
  }

  /** Self by name of {@code go tool pprof -top}. */
  private static Map<String, Long> flat(String top) {
    Pattern line =
        Pattern.compile("\\s*(-?\\d+)(?:ns)?\\s+[\\d.]+%\\s+\\S+\\s+\\S+\\s+\\S+\\s+(.*)");
    Map<String, Long> flat = new TreeMap<>();
    for (String text : top.split("\n")) {
      Matcher matcher = line.matcher(text);
      if (matcher.matches() && !matcher.group(1).equals("0")) {
        String name = matcher.group(2).replace(" (inline)", "").replace(" (partial-inline)", "");
        flat.merge(name.strip(), Long.parseLong(matcher.group(1)), Long::sum);
      }
    }
    assertThat(flat).isNotEmpty();
    return flat;
  }

  private static Map<String, Long> self(Profile profile, int type) {
    Map<String, Long> self = new TreeMap<>();
    for (FunctionTotals.Entry entry : FunctionTotals.of(profile, type, By.FUNCTION).entries()) {
      String name = entry.name().lines().findFirst().orElse("");
      if (entry.self() != 0 && !name.equals("[no stack]")) {
        self.merge(name, entry.self(), Long::sum);
      }
    }
    return self;
  }

  @Test
  void mutantsAreReadOrRefused() throws IOException {
    byte[] zipped;
    try (Recording recording = TestRecordings.varied(25, 300)) {
      zipped = RoundTrip.bytes(recording, "pprof", RoundTrip.OPTIONS.withMode("cpu"));
    }
    byte[] plain = new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes();
    Mutants.check(zipped, 1_000, 21, new PprofReader());
    Mutants.check(plain, 6_000, 22, new PprofReader());
  }

  @Test
  void whatIsNoPprofIsRefused() {
    assertThatThrownBy(() -> new PprofReader().read(new ByteArrayInputStream(new byte[] {1, 2})))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("pprof");
    assertThatThrownBy(
            () ->
                new PprofReader()
                    .read(new ByteArrayInputStream(new byte[] {0x1f, (byte) 0x8b, 8, 0})))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("gzip");
  }
}
