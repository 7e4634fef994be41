package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is seen now and then, against programs that know what they allocate. */
@RequiresRoot
class RecordLightMemoryTest {
  private static final Pattern ESTIMATED =
      Pattern.compile("estimated: (\\d+) windows?, ([\\d.]+) % of the time, ± (\\d+) %");

  @TempDir Path folder;

  /** A tenth of a million pairs a second or so, of 700 bytes and of 300. */
  @Test
  void sharesAndTotal() throws Exception {
    Path file = folder.resolve("out.folded");
    Path counts = folder.resolve("bytes");
    String allocshares = Programs.compiled("allocshares").toString();
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "mem",
            "--light",
            "-o",
            file.toString(),
            "--",
            "sh",
            "-c",
            allocshares + " 10 10000 0 > " + counts);
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains("in use and bad frees: not known");
    Matcher said = ESTIMATED.matcher(result.err());
    assertThat(said.find()).as(result.err()).isTrue();
    assertThat(Integer.parseInt(said.group(1))).isBetween(3, 11);
    assertThat(Double.parseDouble(said.group(2))).isLessThan(3.5);
    double real = Double.parseDouble(Files.readString(counts).strip());
    double most = Folded.read(file).with("most");
    double some = Folded.read(file).with("some");
    assertThat(most / (most + some)).isCloseTo(0.7, Offset.offset(0.02));
    double told = Double.parseDouble(said.group(3)) / 100;
    assertThat((most + some) / real)
        .as(result.err())
        .isCloseTo(1, Offset.offset(Math.max(0.2, 1.5 * told)));
  }

  /** Who makes a process grow is seen all the time, whatever the windows see. */
  @Test
  void growth() {
    Path file = folder.resolve("out.folded");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "mem",
            "--light",
            "--value",
            "grown",
            "-o",
            file.toString(),
            "--",
            Programs.compiled("faulter").toString(),
            "8192",
            folder.resolve("f").toString());
    assertThat(result.code()).as(result.err()).isZero();
    double grown = Folded.read(file).with("touch");
    assertThat(grown / (8192 << 12)).isBetween(0.95, 1.05);
  }

  @Test
  void isOnlyOfMem() {
    PlumbCommand.Result result = PlumbCommand.run("record", "cpu", "--light", "-d", "1");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("plumb record mem --light");
  }
}
