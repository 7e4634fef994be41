package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs without frame pointers whose chain of calls is known: nearly every sample has to have
 * all of it. In the first tenth of a second, while tables are being made, some may be cut.
 */
@RequiresRoot
class RecordUnwindTest {
  /** The chain below main, as folded lines have it, of each kind of {@code chains.c}. */
  private static final Map<String, String> CHAINS =
      Map.of(
          "deep", "main;begin;(descend[^;]*;){600}spin",
          "signal", "main;begin;take_signal;interrupted_work;[^;]+;on_signal;spin",
          "threads", "[^;]+;[^;]+;thread_main;spin",
          "vdso", "main;begin;ask",
          "syscall", "main;begin;fill",
          "plt", "main;begin;sort;qsort_r;.*;compare;spin",
          "jump", "main;begin;jump;spin",
          "context", "[^;]+;coroutine;spin");

  @TempDir Path folder;

  static Stream<Arguments> everyKindOfEveryProgram() {
    return Stream.of(List.of("chains-dynamic"), List.of("chains-static", "-static"))
        .flatMap(
            program -> CHAINS.keySet().stream().sorted().map(kind -> Arguments.of(program, kind)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"deep", "plt", "signal"})
  void wholeChainsOfAProgramAtFixedAddresses(String kind) {
    check(Programs.withoutFramePointers("chains-no-pie", "-no-pie", "-O3"), kind, 0.9);
  }

  @ParameterizedTest
  @MethodSource("everyKindOfEveryProgram")
  void wholeChains(List<String> program, String kind) {
    String[] flags = program.stream().skip(1).toArray(String[]::new);
    Path binary = Programs.withoutFramePointers(program.getFirst(), flags);
    check(binary, kind, 0.9);
  }

  private void check(Path binary, String kind, double least) {
    Folded folded = PlumbCommand.record(folder, "-F", "999", "--", binary.toString(), kind, "1");
    boolean onStack = kind.equals("threads") || kind.equals("context");
    Pattern whole =
        Pattern.compile("[^;]+;" + (onStack ? "" : "_start;.*") + CHAINS.get(kind) + "(;.*)?");
    long all = folded.total();
    long good = folded.sum(line -> whole.matcher(String.join(";", line.frames())).matches());
    assertThat(all).isGreaterThan(800);
    assertThat((double) good / all)
        .as("%d of %d samples are whole; others:\n%s", good, all, others(folded, whole))
        .isGreaterThan(least);
  }

  private static String others(Folded folded, Pattern whole) {
    StringBuilder text = new StringBuilder();
    folded.lines().stream()
        .filter(line -> !whole.matcher(String.join(";", line.frames())).matches())
        .limit(20)
        .forEach(line -> text.append(String.join(";", line.frames())).append('\n'));
    return text.toString();
  }
}
