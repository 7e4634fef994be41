package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that live for a millisecond: it is known which, where they were, and who called. */
@RequiresRoot
@Timeout(120)
class RecordShortLivedTest {
  private static final Pattern SHARE = Pattern.compile(" · ([\\d ]+) incomplete stacks?\\b");

  @TempDir Path home;

  @Test
  void forkStorm() throws Exception {
    Path source = home.resolve("tiny.c");
    Files.writeString(source, "#include <stdio.h>\nint main(void) { return puts(\"a\") < 0; }\n");
    String script =
        """
        i=0; while [ $i -lt 2000 ]; do /bin/true; i=$((i+1)); done
        i=0; while [ $i -lt 50 ]; do gcc -O1 -c %s -o /dev/null; i=$((i+1)); done
        """
            .formatted(source);
    Path file = home.resolve("short.folded");
    Result result =
        Installation.in(home)
            .plumb("record", "-F", "499", "-o", file.toString(), "--", "sh", "-c", script);
    assertThat(result.code()).as(result.err()).isZero();
    Folded folded = Folded.read(file);
    long all = folded.total();
    assertThat(all).isGreaterThan(500);
    assertThat(folded.sum(line -> line.frames().getFirst().equals("true"))).isGreaterThan(100);
    assertThat(folded.sum(line -> line.frames().getFirst().equals("cc1"))).isGreaterThan(100);
    Set<String> known = Set.of("true", "sh", "gcc", "cc1", "as", "collect2", "ld", "java", "plumb");
    long named = folded.sum(line -> known.contains(line.frames().getFirst()));
    assertThat((double) named / all).as("process names").isGreaterThan(0.99);
    // Programs of distributions are stripped: then at least the file is known.
    long placed =
        folded.sum(
            line ->
                line.frames().stream()
                    .allMatch(f -> !f.startsWith("[unknown") || f.startsWith("[unknown in ")));
    assertThat((double) placed / all).as("places").isGreaterThan(0.99);
    Matcher share = SHARE.matcher(result.err());
    assertThat(share.find()).as(result.err()).isTrue();
    double cut = Double.parseDouble(share.group(1).replaceAll("\\D", ""));
    // Of cc1, a large program, the first samples come before its table is made.
    assertThat(cut / all).as(result.err()).isLessThan(0.15);
  }

  /** Their stacks are copied, and what is above a page that is not there belongs to them, too. */
  @Test
  void pagesThatNobodyTouched() throws Exception {
    Path program = Programs.compiled("untouchedframe", "-O2", "-fno-stack-clash-protection");
    String script = "i=0; while [ $i -lt 100 ]; do " + program + "; i=$((i+1)); done";
    Path file = home.resolve("untouchedframe.folded");
    Result result =
        Installation.in(home)
            .plumb("record", "-F", "999", "-o", file.toString(), "--", "sh", "-c", script);
    assertThat(result.code()).as(result.err()).isZero();
    Folded folded = Folded.read(file);
    long inside = folded.sum(line -> line.frames().contains("inner"));
    long whole =
        folded.sum(line -> line.frames().contains("inner") && line.frames().contains("main"));
    assertThat(inside).isGreaterThan(200);
    assertThat((double) whole / inside).as(result.err()).isGreaterThan(0.99);
  }
}
