package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mode that docs/new-collector.md shows. */
@RequiresRoot
@OnEveryKernel
class RecordForksTest {
  @TempDir Path folder;

  @Test
  void everyProcessCounts() {
    Folded folded = record("processes");
    assertThat(folded.with("starts_processes")).isEqualTo(40);
    assertThat(folded.with("starts_threads")).isZero();
  }

  @Test
  void everyThreadIsAnotherColumn() {
    Folded folded = record("threads");
    // Of the C library's clone3, which the child shares, nothing says who called it.
    assertThat(folded.total()).isEqualTo(30);
    assertThat(folded.with("starts_processes")).isZero();
  }

  private Folded record(String value) {
    String forker = Programs.compiled("forker").toString();
    return PlumbCommand.record(folder, "forks", "--value", value, "--", forker, "40", "30");
  }
}
