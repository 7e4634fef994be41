package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bpftrace counts in the same run of the same program. */
@RequiresRoot
class RecordProbePeersTest {
  private static final String PROGRAM = Programs.compiled("probes").toString();

  @TempDir Path folder;

  /** Watches while something runs; what the map {@code @} holds then. */
  private long bpftrace(String script, Runnable work) throws Exception {
    Path out = folder.resolve("bpftrace.out");
    Process process =
        new ProcessBuilder("bpftrace", "-e", "BEGIN { printf(\"ready\\n\"); } " + script)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!read(out).contains("ready")) {
        assertThat(process.isAlive()).as(read(out)).isTrue();
        assertThat(System.nanoTime()).as("bpftrace comes up").isLessThan(end);
        Thread.sleep(50);
      }
      Thread.sleep(300); // what comes after BEGIN is attached to a little later
      work.run();
      process.destroy(); // it prints its maps
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    Matcher matcher = Pattern.compile("@: (\\d+)").matcher(read(out));
    assertThat(matcher.find()).as(read(out)).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  @Test
  void countsOfAFunction() throws Exception {
    Folded[] ours = new Folded[1];
    long theirs =
        bpftrace(
            "uprobe:" + PROGRAM + ":counted_call { @ = count(); }",
            () ->
                ours[0] =
                    PlumbCommand.record(
                        folder,
                        "uprobe:" + PROGRAM + ":counted_call",
                        "--",
                        PROGRAM,
                        "threads",
                        "2000"));
    assertThat(theirs).isEqualTo(16_000);
    assertThat(ours[0].total()).isEqualTo(theirs);
  }

  @Test
  void countsAndTimeOfASystemCall() throws Exception {
    String enter = "tracepoint:syscalls:sys_enter_nanosleep /comm == \"probes\"/";
    String exit = "tracepoint:syscalls:sys_exit_nanosleep /@start[tid]/";
    Folded[] ours = new Folded[1];
    long theirs =
        bpftrace(
            enter
                + " { @start[tid] = nsecs; } "
                + exit
                + " { @ = sum(nsecs - @start[tid]); delete(@start[tid]); }",
            () ->
                ours[0] =
                    PlumbCommand.record(
                        folder,
                        "syscall:nanosleep",
                        "--value",
                        "time",
                        "--",
                        PROGRAM,
                        "nanosleep",
                        "20",
                        "5000"));
    assertThat(ours[0].total()).isCloseTo(theirs / 1000, withinPercentage(10));
  }
}
