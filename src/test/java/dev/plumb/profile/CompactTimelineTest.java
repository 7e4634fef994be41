package dev.plumb.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.TestRecordings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactTimelineTest {
  @Test
  void givesBackWhatWasAppended() {
    Random random = new Random(1);
    try (CompactTimeline timeline =
        fill(new CompactTimelineBuilder(Long.MAX_VALUE), random, 100_000)) {
      assertThat(timeline.size()).isEqualTo(100_000);
      check(timeline, new Random(1));
    }
  }

  @Test
  void keepsExtremes() {
    CompactTimelineBuilder builder = CompactTimeline.builder();
    long[] values = {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1, 1, Long.MIN_VALUE + 1};
    int[] ints = {0, Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 5, 5, 0};
    for (int round = 0; round < 4_000; round++) {
      for (int i = 0; i < values.length; i++) {
        builder.append(values[i], ints[i], ints[(i + 3) % 7], values[(i + 2) % 7]);
      }
    }
    int[] at = new int[1];
    try (CompactTimeline timeline = builder.build()) {
      timeline.forEach(
          (time, row, cpu, value) -> {
            int i = at[0]++ % values.length;
            assertThat(time).isEqualTo(values[i]);
            assertThat(row).isEqualTo(ints[i]);
            assertThat(cpu).isEqualTo(ints[(i + 3) % 7]);
            assertThat(value).isEqualTo(values[(i + 2) % 7]);
          });
    }
    assertThat(at[0]).isEqualTo(4_000 * values.length);
  }

  @Test
  void spillsBeyondItsLimitAndLeavesNoFile(@TempDir Path folder) throws IOException {
    CompactTimelineBuilder builder = new CompactTimelineBuilder(256 * 1024, folder);
    try (CompactTimeline timeline = fill(builder, new Random(2), 300_000)) {
      assertThat(builder.byteSize()).isGreaterThan(1_000_000);
      assertThat(builder.untimed()).isZero();
      check(timeline, new Random(2));
      check(timeline, new Random(2));
      try (var files = Files.list(folder)) {
        assertThat(files).isEmpty();
      }
    }
  }

  @Test
  void countsWhatNoDiskTakes(@TempDir Path folder) {
    CompactTimelineBuilder builder =
        new CompactTimelineBuilder(128 * 1024, folder.resolve("missing"));
    try (CompactTimeline timeline = fill(builder, new Random(3), 200_000)) {
      assertThat(timeline.size()).isBetween(10_000L, 190_000L);
      assertThat(timeline.size() + builder.untimed()).isEqualTo(200_000);
      check(timeline, new Random(3));
    }
  }

  @Test
  void takesAboutEightBytesASample() {
    CompactTimelineBuilder builder = CompactTimeline.builder();
    Random random = new Random(4);
    for (int i = 0; i < 100_000; i++) {
      builder.append(
          TestRecordings.START + i * 5_050_505L + random.nextInt(100_000),
          random.nextInt(20_000),
          i % 2,
          TestRecordings.PERIOD);
    }
    assertThat(builder.byteSize() / 100_000.0).isLessThan(8.5);
  }

  private static CompactTimeline fill(CompactTimelineBuilder builder, Random random, int count) {
    for (int i = 0; i < count; i++) {
      builder.append(time(random, i), random.nextInt(5_000), random.nextInt(64), value(random));
    }
    return builder.build();
  }

  private static long time(Random random, int i) {
    return 1_000_000L * i - random.nextInt(3_000_000);
  }

  private static long value(Random random) {
    return random.nextInt(4) == 0 ? random.nextLong() : 77;
  }

  private static void check(Timeline timeline, Random random) {
    int[] at = new int[1];
    timeline.forEach(
        (time, row, cpu, value) -> {
          boolean same =
              time == time(random, at[0]++)
                  && row == random.nextInt(5_000)
                  && cpu == random.nextInt(64)
                  && value == value(random);
          assertThat(same).as("sample %d", at[0] - 1).isTrue();
        });
    assertThat(at[0]).isEqualTo(timeline.size());
  }
}
