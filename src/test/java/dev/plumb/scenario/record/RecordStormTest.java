package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The highest rate, busy CPUs and hundreds of processes a second: it goes on and it ends. */
@RequiresRoot
class RecordStormTest {
  private static final int SECONDS = 8;

  @TempDir Path home;

  @Test
  void endsInTimeAndSaysWhatItLost() throws Exception {
    Installation plumb = Installation.in(home);
    Path file = home.resolve("storm.folded");
    Result result;
    long started;
    try (Programs.Running storm = Programs.start(Programs.compiled("spawnstorm"), "300", "6");
        Programs.Running busy = Programs.start(Programs.compiled("spinner"), "50", "2", "600")) {
      result =
          plumb.plumb(
              "record",
              "-a",
              "-F",
              "10000",
              "-d",
              "" + SECONDS,
              "--verbose",
              "-o",
              file.toString());
      started = Long.parseLong(storm.output());
    }
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).doesNotContain("Exception").doesNotContain("\tat ");
    // Of six seconds; the machine may be busy with more than this.
    assertThat(started).as("processes").isGreaterThan(6 * 200 / 2);
    assertThat(number(result.err(), "stop → written ([\\d.]+) s")).as(result.err()).isLessThan(2);
    double rate = number(result.err(), "([\\d.]+) of 10000 Hz held");
    assertThat(rate).as("rate").isGreaterThan(5000);
    assertThat(result.err()).containsPattern(" · [\\d ]+ lost\\b");

    Folded folded = Folded.read(file);
    assertThat(folded.with("spin_a") + folded.with("spin_b")).isGreaterThan(20_000);
    assertThat(folded.sum(line -> line.frames().getFirst().equals("true")))
        .as("processes that live for a moment\n%s", result.err())
        .isGreaterThan(500);
    long lost = folded.sum(line -> line.leaf().startsWith("[unknown: process ended too soon]"));
    assertThat(lost)
        .as("samples of processes that nothing is known of")
        .isLessThan(folded.total() / 300);
  }

  private static double number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return Double.parseDouble(matcher.group(1));
  }
}
