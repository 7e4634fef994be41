package dev.plumb.export;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.file.Reading;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Recording;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is no profile that Plumb reads is refused by its name. */
class ForeignFormatsTest {
  @Test
  void binaryFiles() throws IOException {
    refused("PERFILE2h\0\0\0\0\0\0\0", "perf.data", "perf script -i FILE");
    refused("FLR\0\0\2\0\1", "a JFR recording", "jfrconv");
    refused("\u007fELF\2\1\1\0", "ELF", "plumb record");
    refused("(\u00b5/\u00fd\4\0", "zstd");
    refused("\u00fd7zXZ\0\0", "xz");
    refused("PK\3\4\24\0", "zip");
    refused("SQLite format 3\0", "SQLite");
    refused("\1\2\3\4", "01 02 03 04");
    ByteBuffer gperftools = ByteBuffer.allocate(80).order(ByteOrder.LITTLE_ENDIAN);
    gperftools.putLong(0).putLong(3).putLong(0).putLong(10_000).putLong(0).putLong(1);
    refused(new String(gperftools.array(), ISO_8859_1), "gperftools", "pprof -proto");
  }

  @Test
  void textsOfOtherTools() throws IOException {
    refused("heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @ 0x1 0x2\n", "heap profile");
    refused("heap_v2/524288\n  t*: 28106: 56637512 [0: 0]\n", "heap profile");
    refused("--- contention:\ncycles/second=2500000000\n12 3 @ 0x1 0x2\n", "contention profile");
    refused("goroutine profile: total 12\n4 @ 0x1 0x2\n# 0x1 main.f+0x1 x.go:12\n", "Go's stacks");
    refused("goroutine 1 [running]:\nmain.main()\n", "Go's stacks");
    refused("--- threadz 1 ---\n\n--- Thread 7f (name: x/12) stack: ---\n  0x1 0x2\n", "thread");
    refused("{\"traceEvents\":[{\"ph\":\"X\"}]}", "Chrome");
    refused("[{\"name\":\"a\",\"ph\":\"B\",\"ts\":1}]", "Chrome");
    refused("{\"meta\":{\"interval\":1},\"libs\":[],\"threads\":[]}", "Firefox");
    refused("{\"nodes\":[{\"id\":1,\"callFrame\":{}}]}", "V8");
    refused("{\"a\": 1}", "JSON");
    refused("<!DOCTYPE html>\n<p>1", "HTML");
    refused("@[\n  f+0x1\n]: 12\n", "bpftrace");
  }

  @Test
  void whatPlumbWritesAndDoesNotRead() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      Map<String, String> names =
          Map.of(
              "speedscope", "speedscope's JSON",
              "html", "a page (HTML)",
              "svg", "a picture (SVG)",
              "otlp", "OpenTelemetry",
              "txt", "Stack_Analyzer");
      for (Map.Entry<String, String> name : names.entrySet()) {
        byte[] bytes = RoundTrip.bytes(recording, name.getKey(), RoundTrip.OPTIONS.withMode("cpu"));
        assertThatThrownBy(() -> Formats.read(new ByteArrayInputStream(bytes)))
            .as(name.getKey())
            .isInstanceOf(FormatException.class)
            .hasMessageContaining(name.getValue());
      }
    }
  }

  @Test
  void aRealPerfDataAndElf(@TempDir Path folder) throws Exception {
    Path perf = ExternalTools.need("perf");
    Path data = folder.resolve("perf.data");
    ExternalTools.run(perf, "record", "-q", "-e", "cpu-clock", "-o", data, "--", "/bin/true");
    assertThatThrownBy(() -> Formats.read(data)).hasMessageContaining("this is a perf.data file");
    assertThatThrownBy(() -> Formats.read(perf)).hasMessageContaining("ELF");
    Path packed = folder.resolve("packed.gz");
    try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(perf, out);
    }
    assertThatThrownBy(() -> Formats.read(packed))
        .hasMessageContaining("gunzip")
        .hasMessageContaining("ELF");
  }

  @Test
  void aTextOfWhichMostCannotBeReadIsRefused() throws IOException {
    refused("main;f 1\nnot this\nnor that one\n", "line 2: 'not this'", "2 of 3 lines");
    Reading reading = read("main;f 1\nmain;g 2\nnot this\n");
    assertThat(reading.warnings())
        .containsExactly("1 of 3 lines left out, first line 3: 'not this'");
    assertThat(reading.recording().main().total(0)).isEqualTo(3);
  }

  private static void refused(String content, String... words) throws IOException {
    assertThatThrownBy(() -> read(content))
        .as(content)
        .isInstanceOf(FormatException.class)
        .hasMessageContainingAll(words);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(content.getBytes(ISO_8859_1));
    }
    assertThatThrownBy(() -> Formats.read(new ByteArrayInputStream(packed.toByteArray())))
        .isInstanceOf(FormatException.class)
        .hasMessageContainingAll(words);
  }

  private static Reading read(String content) throws IOException {
    return Formats.read(new ByteArrayInputStream(content.getBytes(ISO_8859_1)));
  }
}
