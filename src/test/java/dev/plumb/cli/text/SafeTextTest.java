package dev.plumb.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.PlumbCommand;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafeTextTest {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 7, 8, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a,
        0x202e, 0x2066, 0x2069, 0xfeff, 0xe0041, 0xd800
      })
  void whatATerminalObeysIsReplaced(int c) {
    String text = "a" + Character.toString(c) + "b";
    assertThat(SafeText.line(text)).isEqualTo("a\ufffdb");
    assertThat(SafeText.lines(text)).isEqualTo("a\ufffdb");
    assertThat(ShownNames.clean(text)).isEqualTo("a\ufffdb");
  }

  @ParameterizedTest
  @ValueSource(strings = {"main", "Größe", "日本語", "👩‍💻", "سلام", "a\u0301", "·→…", "<b>&"})
  void allElseStays(String text) {
    assertThat(SafeText.line(text)).isEqualTo(text);
    assertThat(ShownNames.clean(text)).isEqualTo(text);
  }

  @Test
  void linesAndLengths() {
    assertThat(SafeText.line("a\nb\tc")).isEqualTo("a\ufffdb\ufffdc");
    assertThat(SafeText.lines("a\nb\tc")).isEqualTo("a\nb\tc");
    assertThat(ShownNames.clean("x".repeat(100))).hasSize(100);
    assertThat(ShownNames.clean("x".repeat(101))).hasSize(100).endsWith("…");
  }

  /** A program's name is its author's choice. */
  @Test
  void namesOfProcessesAreSafe(@TempDir Path folder) throws Exception {
    String script =
        "f=\"$(printf 'zz\\342\\200\\256\\033[2Jy')\"; cp /bin/sleep \"$f\"; exec \"./$f\" 60";
    Process process =
        new ProcessBuilder(List.of("sh", "-c", script)).directory(folder.toFile()).start();
    try {
      String shown = "";
      for (int i = 0; i < 100 && !shown.contains("zz\ufffd"); i++) {
        Thread.sleep(50);
        shown = PlumbCommand.run("list", "processes", "zz").out();
      }
      assertThat(shown).contains("zz\ufffd\ufffd[2Jy");
      assertThat(shown.getBytes(StandardCharsets.UTF_8)).doesNotContain(0x1b);
    } finally {
      process.destroyForcibly();
    }
  }
}
