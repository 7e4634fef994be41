package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many files, many processes, a huge file: tables stay within their memory, stacks stay whole. */
@RequiresRoot
@Timeout(120)
class RecordTableMemoryTest {
  private static final int LIBRARIES = 300;
  private static final int PROCESSES = 500;

  /** What docs/limits say that the kernel's copies of tables may take. */
  private static final int MAX_KILOBYTES = 64 << 10;

  private static final String LIBRARY =
      """
      #include <time.h>
      static volatile unsigned sink;
      __attribute__((noinline)) int spin_there(int microseconds)
      {
        struct timespec t;
        long end, now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        end = t.tv_sec * 1000000000L + t.tv_nsec + microseconds * 1000L;
        do {
          for (int i = 0; i < 20000; i++)
            sink += i;
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
          now = t.tv_sec * 1000000000L + t.tv_nsec;
        } while (now < end);
        return sink;
      }
      __attribute__((noinline)) int work(int microseconds) { return spin_there(microseconds) | 1; }
      """;

  @TempDir Path home;

  @Test
  void manyLibrariesInManyProcesses() throws Exception {
    Path source = home.resolve("library.c");
    Files.writeString(source, LIBRARY);
    Path first = home.resolve("lib0.so");
    Programs.run(
        "gcc", "-O2", "-fomit-frame-pointer", "-shared", "-fPIC", source + "", "-o", first + "");
    for (int i = 1; i < LIBRARIES; i++) {
      Files.copy(first, home.resolve("lib" + i + ".so"));
    }
    Path many =
        Programs.compile(
            Path.of("src/test/targets/manylibs.c"),
            Path.of("target/targets/manylibs-omit"),
            "-fomit-frame-pointer");
    Path file = home.resolve("manylibs.folded");
    Result result =
        Installation.in(home)
            .plumb(
                "record",
                "-F",
                "499",
                "--verbose",
                "-o",
                file.toString(),
                "--",
                many.toString(),
                home.toString(),
                "" + LIBRARIES,
                "" + PROCESSES,
                "3",
                "1500");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(tableKilobytes(result)).isBetween(128, MAX_KILOBYTES);
    Folded folded = Folded.read(file);
    long there = folded.with("spin_there");
    assertThat(there).as(result.err()).isGreaterThan(500);
    Pattern whole = Pattern.compile("manylibs-omit;_start;.*main;visitor;visit;work;spin_there.*");
    long good = folded.sum(line -> whole.matcher(String.join(";", line.frames())).matches());
    assertThat((double) good / there).as("%d of %d", good, there).isGreaterThan(0.99);
  }

  /** Two million rows: it is unwound, and so is what runs beside it. */
  @Test
  void hugeFile() throws Exception {
    Path huge = home.resolve("huge");
    Path code = home.resolve("huge.s");
    Files.writeString(
        code,
        """
        .text
        .globl rows
        .type rows, @function
        rows: .cfi_startproc
          nop
          .cfi_endproc
          .rept 20000
          .cfi_startproc
          .rept 50
          push %rax
          .cfi_adjust_cfa_offset 8
          pop %rax
          .cfi_adjust_cfa_offset -8
          .endr
          .cfi_endproc
          .endr
          ret
        .size rows, .-rows
        .section .note.GNU-stack,"",@progbits
        """);
    Path main = home.resolve("main.c");
    Files.writeString(
        main,
        "#include <time.h>\nvoid rows(void);\n"
            + "int main(void) { time_t end = time(0) + 5; while (time(0) < end) rows(); return 0; }\n");
    Programs.run("gcc", "-O1", "-fomit-frame-pointer", main + "", code + "", "-o", huge + "");
    Path chains = Programs.withoutFramePointers("chains-beside");
    Path file = home.resolve("huge.folded");
    // Until its table is made, nothing else is done.
    String command = huge + " & sleep 2; " + chains + " plt 2; wait";
    Result result =
        Installation.in(home)
            .plumb(
                "record",
                "-F",
                "499",
                "--verbose",
                "-o",
                file.toString(),
                "--",
                "sh",
                "-c",
                command);
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(tableKilobytes(result)).isBetween(2_000_000 * 4 / 1024, MAX_KILOBYTES);
    Folded folded = Folded.read(file);
    long beside = folded.with("compare");
    long besideWhole = folded.sum(line -> line.has("compare") && line.has("_start"));
    assertThat(beside).as(result.err()).isGreaterThan(400);
    assertThat((double) besideWhole / beside).isGreaterThan(0.95);
    long inRows = folded.with("rows");
    long rowsWhole = folded.sum(line -> line.has("rows") && line.has("_start") && line.has("main"));
    assertThat(inRows).as(result.err()).isGreaterThan(400);
    assertThat((double) rowsWhole / inRows).as(result.err()).isGreaterThan(0.5);
  }

  private static int tableKilobytes(Result result) {
    Matcher matcher = Pattern.compile("(\\d+) KB of tables").matcher(result.err());
    assertThat(matcher.find()).as(result.err()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }
}
