package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/new-collector.md shows is what is compiled and run. */
class NewCollectorPageTest {
  private static final Path PAGE = Path.of("docs/new-collector.md");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src/main/bpf/forks.bpf.c",
        "src/main/java/dev/plumb/collect/mode/ForkCollector.java",
      })
  void filesAreShownAsTheyAre(String file) throws Exception {
    String text = Files.readString(Path.of(file));
    assertThat(Files.readString(PAGE)).contains("`" + file + "`").contains("\n" + text + "```");
    assertThat(text.lines().count()).as("under a hundred lines").isLessThan(100);
  }

  @Test
  void soIsTheLineInModes() throws Exception {
    String page = Files.readString(PAGE);
    int start = page.indexOf("  private static final Mode FORKS");
    String shown = page.substring(start, page.indexOf("```", start));
    assertThat(Files.readString(Path.of("src/main/java/dev/plumb/collect/Modes.java")))
        .contains(shown);
  }
}
