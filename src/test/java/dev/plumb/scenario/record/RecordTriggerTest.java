package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings that wait for the machine to be held up. */
@RequiresRoot
class RecordTriggerTest {
  @TempDir Path folder;

  /** No task of this machine waits for memory as long as that while a command sleeps. */
  @Test
  void withoutAStallNothingIsRecorded() {
    Path file = folder.resolve("out.folded");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "--trigger",
            "memory:full:1900000:2000000",
            "-o",
            file.toString(),
            "--",
            "sh",
            "-c",
            "sleep 1; exit 7");
    assertThat(result.code()).as(result.err()).isEqualTo(7);
    assertThat(result.err()).contains("nothing was recorded");
    assertThat(Files.exists(file)).isFalse();
  }

  /** Six threads on any number of CPUs that is here wait for each other. */
  @Test
  void aStallBeginsIt() throws Exception {
    Path file = folder.resolve("out.folded");
    int threads = 3 * Runtime.getRuntime().availableProcessors();
    try (Programs.Running running =
        Programs.start(Programs.compiled("spinner"), "50", "" + threads, "60")) {
      PlumbCommand.Result result =
          PlumbCommand.run(
              "record", "--trigger", "cpu:some:100000:2000000", "-d", "1", "-o", file.toString());
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(Folded.read(file).with("worker")).isPositive();
    }
  }

  @Test
  void badTriggersAreRefused() {
    assertThat(PlumbCommand.run("record", "--trigger", "cpu").err()).contains("STALL_US");
    PlumbCommand.Result result = PlumbCommand.run("record", "--trigger", "cpu:some:1:1", "-d", "1");
    assertThat(result.code()).isNotZero();
    assertThat(result.err()).contains("the window is");
  }
}
