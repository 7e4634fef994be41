package dev.plumb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.testing.PlumbCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What users read about formats names all of them. */
class FormatListsTest {
  @Test
  void helpNamesEveryFormat() {
    String record = PlumbCommand.run("record", "--help").out();
    String convert = PlumbCommand.run("convert", "--help").out();
    for (Format format : Formats.all()) {
      assertThat(record).containsPattern("\\b" + format.name() + "\\b").contains(format.ending());
      assertThat(convert).containsPattern("\\b" + format.name() + "\\b").contains(format.ending());
    }
  }

  @Test
  void readmeNamesEveryExtension() throws Exception {
    String readme = Files.readString(Path.of("README.md"));
    for (Format format : Formats.all()) {
      assertThat(readme).contains("| `" + format.ending() + "` |");
    }
  }
}
