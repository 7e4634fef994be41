package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that touches memory it has not touched before; the kernel's own account is the judge.
 */
@RequiresRoot
@OnEveryKernel
class RecordFaultsTest {
  private static final int PAGES = 2000;
  private static final int PAGE = 4096;
  private static final int FAULTS = 0;
  private static final int MAJOR = 1;
  private static final int GROWN = 2;

  /** What the kernel adds up before it tells: 32 pages a CPU since 6.2, 128 and 64 before. */
  private static final long STEPS = 2 * 192L * PAGE;

  @TempDir Path folder;

  @Test
  void faultsAreThoseThatTheKernelCounts() throws Exception {
    Path file = folder.resolve("out.plumb");
    Path own = folder.resolve("own");
    String command =
        "exec %s %d %s > %s"
            .formatted(Programs.compiled("faulter"), PAGES, folder.resolve("mapped"), own);
    PlumbCommand.Result result =
        PlumbCommand.run("record", "faults", "-o", file.toString(), "--", "sh", "-c", command);
    assertThat(result.code()).as(result.err()).isZero();

    // minor, major, of the file minor, major
    long[] counted =
        Arrays.stream(Files.readString(own).strip().split(" "))
            .mapToLong(Long::parseLong)
            .toArray();
    assertThat(counted[0]).isEqualTo(PAGES);
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      assertThat(sum(profile, "touch", FAULTS)).isEqualTo(counted[0] + counted[1]);
      assertThat(sum(profile, "touch", MAJOR)).isEqualTo(counted[1]);
      assertThat(sum(profile, "touch", GROWN))
          .isBetween((long) PAGES * PAGE - STEPS, (long) PAGES * PAGE + STEPS);
      assertThat(sum(profile, "touch_file", FAULTS)).isEqualTo(counted[2] + counted[3]);
      assertThat(sum(profile, "touch_file", MAJOR)).isEqualTo(counted[3]);
      assertThat(profile.quality().lost()).isEmpty();
    }
  }

  private static long sum(Profile profile, String function, int type) {
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      for (int frame : profile.stacks().frameIds(profile.stack(row))) {
        if (profile.stacks().frames().get(frame).name().equals(function)) {
          sum += profile.value(row, type);
          break;
        }
      }
    }
    return sum;
  }
}
