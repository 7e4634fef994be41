package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One measure for each of another, of a program that does known amounts of both. */
@RequiresRoot
class RecordRatioTest {
  private static final String PROGRAM = Programs.compiled("steady").toString();
  private static final String STEPS = "uprobe:" + PROGRAM + ":counted_step";
  private static final String CALLS = "syscall:getppid";

  @TempDir Path folder;

  /** In each round 10 calls, 20 steps, 5 writes of 4096 bytes and 5 reads of 1000. */
  @Test
  void amountsForEachOther() {
    String file = folder.resolve("out.plumb").toString();
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            CALLS,
            STEPS,
            "io",
            "-o",
            file,
            "--",
            PROGRAM,
            "50",
            folder.resolve("moved").toString());
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(report(file, "--mode", CALLS, "--per", STEPS, "--sort", "total"))
        .contains("COUNT PER COUNT")
        .containsPattern("1 000 +0\\.500 +main +steady");
    assertThat(report(file, "--mode", "io", "--per", "calls", "--sort", "total"))
        .contains("BYTES PER CALL")
        .containsPattern("500 +2\\.49 KB +moves_bytes +steady");
    assertThat(report(file, "--mode", "io", "--per", "calls", "--by", "process"))
        .containsPattern("KB +steady");
  }

  @Test
  void whatIsNotThereIsAnError() {
    String file = folder.resolve("out.plumb").toString();
    assertThat(PlumbCommand.run("record", "cpu", "-d", "0.2", "-o", file).code()).isZero();
    PlumbCommand.Result unknown = PlumbCommand.run("report", file, "--per", "hw:cycles");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("no such mode in the file").contains("samples");
    assertThat(PlumbCommand.run("report", file, "--per", "samples", "--tree").code()).isEqualTo(2);
  }

  private static String report(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "report";
    System.arraycopy(args, 0, all, 1, args.length);
    PlumbCommand.Result result = PlumbCommand.run(all);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }
}
