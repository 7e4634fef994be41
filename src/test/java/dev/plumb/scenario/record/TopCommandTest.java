package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.outcome.ExitCode;
import dev.plumb.cli.text.Sparklines;
import dev.plumb.profile.FunctionTotals.Entry;
import dev.plumb.profile.SymbolKind;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The live view, as text. */
class TopCommandTest {
  @Test
  @RequiresRoot
  void showsTheBusyOneAgainAndAgain() throws Exception {
    try (Programs.Running running = Programs.start(Programs.compiled("spinner"), "60", "1", "60")) {
      String pid = "" + running.pid();
      PlumbCommand.Result result =
          PlumbCommand.run(
              "top", "cpu", "runq", "--batch", "-p", pid, "-i", "1", "-d", "3", "-n", "12");
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.out().split("spinner \\(" + pid + "\\)"))
          .as("three looks, both modes")
          .hasSizeGreaterThan(4);
      assertThat(result.out()).contains("spin_a").contains("PER SECOND").contains("  0.00 % lost");
      assertThat(result.out()).as("colours and screens are for terminals").doesNotContain("\033");
    }
  }

  @Test
  void badValuesAreRefused() {
    assertThat(PlumbCommand.run("top", "-i", "0.01", "--batch").code())
        .isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(PlumbCommand.run("top", "nonsense", "--batch").err()).contains("unknown mode");
    assertThat(PlumbCommand.run("top", "--value", "bytes", "--batch").err())
        .contains("samples, cpu");
  }

  @Test
  void barsAreOnOneScale() {
    Sparklines lines = new Sparklines();
    lines.add(List.of(entry("a", 80), entry("b", 40)));
    lines.add(List.of(entry("a", 1)));
    assertThat(lines.of("a")).isEqualTo("█▁");
    assertThat(lines.of("b")).isEqualTo("▄ ");
    assertThat(lines.of("c")).isEqualTo("  ");
  }

  private static Entry entry(String name, long total) {
    return new Entry(name, SymbolKind.values()[0], "", 0, total);
  }
}
