package dev.plumb.export.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.export.Formats;
import dev.plumb.export.RoundTrip;
import dev.plumb.profile.Recording;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  @TempDir Path folder;

  @Test
  void aFailedRunLeavesTheOldFile() throws IOException {
    Path file = folder.resolve("x.folded");
    Files.writeString(file, "old");
    assertThatThrownBy(
            () ->
                OutputFile.write(
                    file,
                    out -> {
                      out.write(1);
                      throw new IOException("No space left on device");
                    }))
        .isInstanceOf(OutputException.class)
        .hasMessage(
            "cannot write %s: the disk is full; free some space or choose another place"
                .formatted(file));
    assertThat(file).hasContent("old");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void replacesKeepingPermissionsAndLinks() throws IOException {
    Path file = folder.resolve("x.txt");
    Files.writeString(file, "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    Path link = Files.createSymbolicLink(folder.resolve("link.txt"), file);
    OutputFile.write(link, out -> out.write("new".getBytes(UTF_8)));
    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("new");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void devicesAreWrittenInPlace() {
    OutputFile.write(Path.of("/dev/null"), out -> out.write(1));
    assertThat(Path.of("/dev/null")).exists();
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }

  @Test
  void whatCannotBeWrittenIsToldWithARemedy() {
    assumeTrue(Files.exists(Path.of("/dev/full")), "no /dev/full");
    assertThatThrownBy(() -> OutputFile.write(Path.of("/dev/full"), out -> out.write(1)))
        .hasMessageContaining("disk is full");
    assertThatThrownBy(() -> OutputFile.write(folder.resolve("no/x.html"), out -> out.write(1)))
        .hasMessageContaining("folder does not exist");
    assertThatThrownBy(() -> OutputFile.write(folder, out -> out.write(1)))
        .hasMessageContaining("is a folder");
  }

  @Test
  void standardOutputEndsQuietlyWithItsReader() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    OutputFile.write("-", out, stream -> stream.write(65));
    assertThat(out.toString(UTF_8)).isEqualTo("A");
    OutputFile.write(
        "-",
        out,
        stream -> {
          throw new IOException("Broken pipe");
        });
  }

  @Test
  void eachModeGetsItsFileWhereAFormatHoldsOne() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      assertThat(Formats.save(recording, folder.resolve("out.folded"), RoundTrip.OPTIONS))
          .containsExactly(folder.resolve("out.cpu.folded"), folder.resolve("out.offcpu.folded"));
      assertThat(Formats.save(recording, folder.resolve("out.plumb"), RoundTrip.OPTIONS))
          .containsExactly(folder.resolve("out.plumb"));
      assertThatThrownBy(
              () ->
                  Formats.write(
                      recording,
                      new ByteArrayOutputStream(),
                      Formats.byName("pprof"),
                      RoundTrip.OPTIONS))
          .hasMessageContaining("--mode cpu|offcpu");
      assertThatThrownBy(() -> Formats.save(recording, Path.of("x.doc"), RoundTrip.OPTIONS))
          .hasMessageContaining(".pb.gz");
      assertThatThrownBy(
              () -> RoundTrip.bytes(recording, "folded", RoundTrip.OPTIONS.withMode("mem")))
          .hasMessageContaining("it holds: cpu, offcpu");
    }
  }
}
