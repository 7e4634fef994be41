package dev.plumb.export.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.Formats;
import dev.plumb.export.RoundTrip;
import dev.plumb.export.file.Reading;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerfScriptFormatTest {
  @Test
  void readsEveryShapeOfLine() throws IOException {
    String text =
        """
        # captured on x
        Web Content 12/34 [003]  1861.053508:    1001001 cpu-clock:pppH:\s
        \tffffffff81000130 entry_SYSCALL_64_after_hwframe+0x76 ([kernel.kallsyms])
        \tffffffffc0000130 ext4_read+0x6 ([ext4])
        \t            1193 std::vector<int, std::allocator<int> >::size() const (inlined)
        \t            1193 operator()(int)+0x10 (/opt/a b/x (deleted))
        \t    7f0000001234 Interpreter+0x1 (/tmp/perf-12.map)
        \t    7f0000005678 [unknown] (/usr/lib/libc.so.6)
          main.c:12

            swapper     0 [000]  1862.5:  x: y
        swapper     0 [000]  1862.500000:          1 sched:sched_switch: ffffffff821f1eab halt+0xb ([kernel.kallsyms])

        empty 7 1862.600000: 5 cpu-clock:
        """;
    Reading reading = Formats.read(new ByteArrayInputStream(text.getBytes(UTF_8)));
    assertThat(reading.warnings())
        .containsExactly(
            "1 of 10 lines left out, first line 11: 'swapper     0 [000]  1862.5:  x: y'");
    Recording recording = reading.recording();
    assertThat(recording.profiles())
        .extracting(Profile::mode)
        .containsExactly("cpu", "sched:sched_switch");
    Profile cpu = recording.main();
    assertThat(cpu.thread(0).processComm()).isEqualTo("Web Content");
    assertThat(cpu.thread(0).pid()).isEqualTo(12);
    assertThat(cpu.thread(0).tid()).isEqualTo(34);
    assertThat(cpu.total(0)).isEqualTo(2);
    assertThat(cpu.total(1)).isEqualTo(1001006);
    Frame[] frames = new Frame[6];
    for (int i = 0; i < 6; i++) {
      frames[i] = cpu.stacks().frames().get(cpu.stacks().frameIds(cpu.stack(0))[i]);
    }
    assertThat(frames[0].name()).isEqualTo("entry_SYSCALL_64_after_hwframe");
    assertThat(frames[0].offset()).isEqualTo(0x76);
    assertThat(frames[0].kind()).isEqualTo(FrameKind.KERNEL);
    assertThat(frames[1].module()).isEqualTo("[ext4]");
    assertThat(frames[1].kind()).isEqualTo(FrameKind.KERNEL);
    assertThat(frames[2].inlined()).isTrue();
    assertThat(frames[2].name()).isEqualTo("std::vector<int, std::allocator<int> >::size() const");
    assertThat(frames[2].module()).isEqualTo("/opt/a b/x (deleted)");
    assertThat(frames[3].name()).isEqualTo("operator()(int)");
    assertThat(frames[4].kind()).isEqualTo(FrameKind.JIT);
    assertThat(frames[5].named()).isFalse();
    assertThat(frames[5].name()).isEqualTo("[unknown in libc.so.6+0x7f0000005678]");
    assertThat(cpu.quality().unnamed()).isEmpty();
  }

  @Test
  void timesAreKept() throws IOException {
    try (Recording recording = TestRecordings.varied();
        Recording read =
            RoundTrip.reread(recording, "perf-script", RoundTrip.OPTIONS.withMode("cpu"))
                .recording()) {
      long[] sums = new long[3];
      recording.main().timeline().forEach((time, row, cpu, value) -> sums[0] += time / 1000 + cpu);
      read.main().timeline().forEach((time, row, cpu, value) -> sums[1] += time / 1000 + cpu);
      assertThat(sums[1]).isEqualTo(sums[0]);
    }
  }

  @Test
  void infernoCollapsesIt(@TempDir Path folder) throws Exception {
    Path collapse = ExternalTools.need("inferno-collapse-perf");
    try (Recording recording = TestRecordings.varied()) {
      for (Profile profile : recording.profiles()) {
        Path file = folder.resolve(profile.mode() + ".perf");
        Formats.save(recording, file, RoundTrip.OPTIONS.withMode(profile.mode()));
        long sum =
            ExternalTools.run(collapse, file)
                .lines()
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
        assertThat(sum).as(profile.mode()).isEqualTo(profile.total(profile.mainType()));
      }
    }
  }

  @Test
  void otherTextIsRefused() {
    assertThatThrownBy(
            () -> new PerfScriptReader().read(new ByteArrayInputStream("a;b 1\n".getBytes(UTF_8))))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("perf script");
  }
}
