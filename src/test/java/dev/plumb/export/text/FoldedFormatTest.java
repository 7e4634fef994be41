package dev.plumb.export.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.Formats;
import dev.plumb.export.RoundTrip;
import dev.plumb.export.file.Reading;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldedFormatTest {
  @Test
  void aLineOfTextIsWrittenAsItWasRead() throws IOException {
    String text =
        """
        java;Thread.run_[j];write;do_syscall_64_[k] 7
        java;Thread.run_[j];inner_[i] 3
        my app;operator new(unsigned long) 2
        swapper 1
        """;
    try (Recording recording = read(text).recording()) {
      byte[] written = RoundTrip.bytes(recording, "folded", RoundTrip.OPTIONS);
      assertThat(new String(written, UTF_8)).isEqualTo(text);
    }
  }

  @Test
  void marksGiveKinds() {
    assertThat(FoldedReader.decode("vfs_read_[k]").kind()).isEqualTo(FrameKind.KERNEL);
    assertThat(FoldedReader.decode("vfs_read_[k]").name()).isEqualTo("vfs_read");
    assertThat(FoldedReader.decode("run_[j]").kind()).isEqualTo(FrameKind.JIT);
    assertThat(FoldedReader.decode("f_[i]").inlined()).isTrue();
    assertThat(FoldedReader.decode("[unknown]").named()).isFalse();
    assertThat(FoldedReader.decode("_[k]")).isEqualTo(Frame.ofName("_[k]", FrameKind.NATIVE));
  }

  @Test
  void namesThatWouldBreakALineAreMended() {
    assertThat(FoldedWriter.escape("a;b\nc")).isEqualTo("a:b c");
    assertThat(FoldedWriter.escape("hot path 42")).isEqualTo("hot path_42");
    assertThat(FoldedWriter.escape("x 1.5")).isEqualTo("x_1.5");
    assertThat(FoldedWriter.escape(" \n")).isEqualTo("[empty]");
    assertThat(FoldedWriter.escape("operator new(int)")).isEqualTo("operator new(int)");
  }

  @Test
  void readsWhatOtherToolsWrite() throws IOException {
    Reading reading =
        read("# a comment\r\njava-12/34;run 3\r\n\r\nbad line\nx;y 2.6\nz;1 2 3\nlast;one 4");
    assertThat(reading.warnings())
        .containsExactly("1 of 5 lines left out, first line 4: 'bad line'");
    Profile profile = reading.recording().main();
    assertThat(profile.total(0)).isEqualTo(3 + 3 + 3 + 4);
    assertThat(profile.thread(0).pid()).isEqualTo(12);
    assertThat(profile.thread(0).tid()).isEqualTo(34);
    assertThat(profile.thread(0).processComm()).isEqualTo("java");
  }

  @Test
  void whatHoldsNoStacksIsRefused() {
    assertThatThrownBy(() -> read("hello\nworld\n"))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("process;main;function 42");
    assertThatThrownBy(() -> read("a;b 1 2\na;c 3 4\n"))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("difference of two");
    assertThatThrownBy(() -> read("")).isInstanceOf(FormatException.class);
  }

  @Test
  void timesAreMicrosecondsAndNothingIsLostToRounding() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      WriteOptions options = RoundTrip.OPTIONS.withMode("offcpu");
      Profile read = RoundTrip.reread(recording, "folded", options).recording().main();
      assertThat(read.total(0)).isEqualTo(recording.profiles().get(1).total(0) / 1000);
      Profile blocks =
          RoundTrip.reread(recording, "folded", options.withValue("blocks")).recording().main();
      assertThat(blocks.total(0)).isEqualTo(recording.profiles().get(1).total(1));
    }
  }

  @Test
  void infernoDrawsIt(@TempDir Path folder) throws Exception {
    Path flamegraph = ExternalTools.need("inferno-flamegraph");
    try (Recording recording = TestRecordings.varied()) {
      Path file = folder.resolve("x.folded");
      Formats.save(recording, file, RoundTrip.OPTIONS.withMode("cpu"));
      String svg = ExternalTools.run(flamegraph, file);
      Matcher all = Pattern.compile("all \\(([0-9,]+) samples, 100%\\)").matcher(svg);
      assertThat(all.find()).isTrue();
      assertThat(Long.parseLong(all.group(1).replace(",", "")))
          .isEqualTo(recording.main().total(0));
      assertThat(Files.readString(file)).doesNotContain("<module>;;");
    }
  }

  private static Reading read(String text) throws IOException {
    return new FoldedReader().read(new ByteArrayInputStream(text.getBytes(UTF_8)));
  }
}
