package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that start while a recording begins are known as any other. */
@RequiresRoot
class RecordStartTest {
  @TempDir Path folder;

  /** How long a recording takes to begin differs from machine to machine: some of these meet it. */
  @ParameterizedTest
  @ValueSource(ints = {100, 250, 400, 600, 1000})
  void aProgramThatStartsAMomentLater(int millis) throws Exception {
    Path file = folder.resolve("out.folded");
    CompletableFuture<PlumbCommand.Result> recording =
        CompletableFuture.supplyAsync(
            () ->
                PlumbCommand.run(
                    "record", "cpu", "offcpu", "-a", "-d", "2.5", "-o", file.toString()));
    Thread.sleep(millis);
    try (Programs.Running spinner =
        Programs.start(Programs.compiled("spinner"), "60", "2", "600")) {
      PlumbCommand.Result result = recording.get(60, TimeUnit.SECONDS);
      assertThat(result.code()).as(result.err()).isZero();
      Folded folded = Folded.read(folder.resolve("out.cpu.folded"));
      long all = folded.sum(line -> line.has("spinner"));
      long unknown =
          folded.sum(
              line ->
                  line.has("spinner")
                      && line.frames().stream().anyMatch(f -> f.startsWith("[unknown")));
      assertThat(all).as(result.err()).isGreaterThan(50);
      assertThat(unknown * 100).as("of %d samples", all).isLessThanOrEqualTo(all);
    }
  }
}
