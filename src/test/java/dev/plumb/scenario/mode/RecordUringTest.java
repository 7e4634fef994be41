package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.export.Formats;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.scenario.ProfileSums;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that moves a known number of blocks by io_uring. */
@RequiresRoot
@OnEveryKernel
class RecordUringTest {
  private static final int COUNT = 400;
  private static final int SIZE = 3000;
  private static final int NOT_ALLOWED = 9;

  private record Amounts(long calls, long bytes, long errors) {}

  @TempDir Path folder;

  @Test
  void requestsCountAsCallsDo() throws Exception {
    assumeTrue(
        KernelVersion.current().isAtLeast(6, 0), "kernels before 6.0 do not tell of requests");
    Path file = folder.resolve("out.plumb");
    Path data = folder.resolve("data");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "io",
            "-o",
            file.toString(),
            "--",
            Programs.compiled("uring").toString(),
            data.toString(),
            Integer.toString(COUNT),
            Integer.toString(SIZE));
    assumeTrue(result.code() != NOT_ALLOWED, "io_uring is not allowed (kernel.io_uring_disabled)");
    assertThat(result.code()).as(result.err()).isZero();
    long bytes = (long) COUNT * SIZE;
    String name = data.toRealPath().toString();
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      Amounts moved = new Amounts(COUNT, bytes, 0);
      assertThat(of(profile, "writes_blocks", "write", "io_uring write", name)).isEqualTo(moved);
      assertThat(of(profile, "reads_blocks", "read", "io_uring read", name)).isEqualTo(moved);
      assertThat(of(profile, "reads_aside", "read", "io_uring readv", name)).isEqualTo(moved);
      assertThat(of(profile, "reads_nothing", "read", "io_uring read", "[unknown file]"))
          .isEqualTo(new Amounts(COUNT, 0, COUNT));
      assertThat(rows(profile, "moves_nothing")).isZero();
      assertThat(profile.quality().lost()).isEmpty();
      assertThat(latency(profile)).as("each takes some time").isGreaterThan(3L * COUNT * 100);
    }
  }

  private static Amounts of(
      Profile profile, String function, String direction, String operation, String file) {
    long calls = 0;
    long bytes = 0;
    long errors = 0;
    for (int row = 0; row < profile.rows(); row++) {
      Map<String, String> labels = profile.labels(row).values();
      if (ProfileSums.has(profile, row, function)) {
        assertThat(labels)
            .containsEntry("direction", direction)
            .containsEntry("operation", operation)
            .containsEntry("file", file);
        calls += profile.value(row, 0);
        bytes += profile.value(row, 1);
        errors += profile.value(row, 3);
      }
    }
    return new Amounts(calls, bytes, errors);
  }

  private static int rows(Profile profile, String function) {
    int rows = 0;
    for (int row = 0; row < profile.rows(); row++) {
      rows += ProfileSums.has(profile, row, function) ? 1 : 0;
    }
    return rows;
  }

  private static long latency(Profile profile) {
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      boolean ring = profile.labels(row).values().containsKey("operation");
      sum += ring ? profile.value(row, 2) : 0;
    }
    return sum;
  }
}
