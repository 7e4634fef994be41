package dev.plumb.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Timeline;
import dev.plumb.testing.TestJson;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FormatsTest {
  @Test
  void contentTellsTheFormatWhateverTheName(@TempDir Path folder) throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      for (String format : List.of("plumb", "pprof", "folded", "perf-script")) {
        byte[] bytes = RoundTrip.bytes(recording, format, RoundTrip.OPTIONS.withMode("cpu"));
        Path plain = Files.write(folder.resolve("data"), bytes);
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
          gzip.write(bytes);
        }
        Path packed = Files.write(folder.resolve("data.html"), zipped.toByteArray());
        for (Path file : List.of(plain, packed)) {
          if (format.equals("pprof") && file == packed) {
            continue;
          }
          try (Recording read = Formats.read(file).recording()) {
            assertThat(read.main().total(0)).as(format).isEqualTo(4_000);
          }
        }
      }
    }
  }

  @Test
  void everyFormatIsFoundByNameAndEnding() {
    for (Format format : Formats.all()) {
      assertThat(Formats.byName(format.name())).isEqualTo(format);
      assertThat(Formats.byEnding("some.file" + format.ending())).isEqualTo(format);
    }
    assertThatThrownBy(() -> Formats.byName("xls")).isInstanceOf(FormatException.class);
  }

  @Test
  void whatIsNothingIsRefused(@TempDir Path folder) throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));
    assertThatThrownBy(() -> Formats.read(empty)).hasMessageContaining("is empty");
    assertThatThrownBy(() -> Formats.read(folder)).hasMessageContaining("is a folder");
    assertThatThrownBy(() -> Formats.read(folder.resolve("none"))).hasMessageContaining("no file");
  }

  @Test
  void mutantsOfTextAreReadOrRefused() throws IOException {
    try (Recording recording = TestRecordings.varied(25, 80)) {
      WriteOptions options = RoundTrip.OPTIONS.withMode("cpu");
      Mutants.check(RoundTrip.bytes(recording, "folded", options), 2_000, 31, Formats::read);
      Mutants.check(RoundTrip.bytes(recording, "perf-script", options), 1_000, 32, Formats::read);
    }
  }

  @Test
  void anEmptyProfileIsWrittenInEveryFormat() throws IOException {
    Profile nothing =
        TestRecordings.cpuBuilder()
            .build(new StackTable.Builder().build(), Timeline.EMPTY, Quality.UNKNOWN);
    Recording recording = new Recording(0, 0, List.of(nothing), Map.of());
    for (Format format : Formats.all()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      Formats.write(recording, out, format, RoundTrip.OPTIONS);
      if (format.name().equals("plumb") || format.name().equals("pprof")) {
        Recording read = Formats.read(new ByteArrayInputStream(out.toByteArray())).recording();
        assertThat(read.main().rows()).isZero();
      }
    }
  }

  @Test
  void speedscopeHasAProfileAThread() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      String text = new String(RoundTrip.bytes(recording, "speedscope", RoundTrip.OPTIONS), UTF_8);
      Map<?, ?> file = (Map<?, ?>) TestJson.parse(text);
      List<?> frames = (List<?>) ((Map<?, ?>) file.get("shared")).get("frames");
      double[] sums = new double[2];
      for (Object entry : (List<?>) file.get("profiles")) {
        Map<?, ?> profile = (Map<?, ?>) entry;
        List<?> samples = (List<?>) profile.get("samples");
        List<?> weights = (List<?>) profile.get("weights");
        assertThat(samples).hasSameSizeAs(weights);
        assertThat(profile.get("unit")).isEqualTo("nanoseconds");
        double sum = weights.stream().mapToDouble(weight -> (Double) weight).sum();
        assertThat(profile.get("endValue")).isEqualTo(sum);
        sums[profile.get("name").toString().startsWith("cpu ") ? 0 : 1] += sum;
        assertThat(samples)
            .allSatisfy(
                sample ->
                    assertThat((List<?>) sample)
                        .allSatisfy(id -> assertThat((Double) id).isLessThan(frames.size())));
      }
      assertThat(sums[0]).isEqualTo(recording.main().total(1));
      assertThat(sums[1]).isEqualTo(recording.profiles().get(1).total(0));
    }
  }
}
