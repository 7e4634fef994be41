package dev.plumb.collect.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.linux.SystemCalls;
import org.junit.jupiter.api.Test;

class ClockOffsetsTest {
  private final ClockOffsets offsets = new ClockOffsets();

  @Test
  void turnsTheKernelsTimeIntoTheWallClocks() {
    long monotonic = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long wall = SystemCalls.clockGettime(SystemCalls.CLOCK_REALTIME);
    assertThat(offsets.wall(monotonic)).isCloseTo(wall, within(200_000_000L));
  }

  /** Somebody sets the clock an hour ahead, later back. */
  @Test
  void aStepMovesOnlyWhatCameAfterIt() {
    long now = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long offset = offsets.wall(now) - now;
    long hour = 3_600_000_000_000L;
    offsets.note(now + 1000, offset + hour);
    offsets.note(now + 2000, offset);
    assertThat(offsets.wall(now)).isEqualTo(now + offset);
    assertThat(offsets.wall(now + 999)).isEqualTo(now + 999 + offset);
    assertThat(offsets.wall(now + 1000)).isEqualTo(now + 1000 + offset + hour);
    assertThat(offsets.wall(now + 1999)).isEqualTo(now + 1999 + offset + hour);
    assertThat(offsets.wall(now + 5000)).isEqualTo(now + 5000 + offset);
  }

  /** Else samples a moment apart would change their order. */
  @Test
  void theNoiseOfMeasuringMovesNothing() {
    long now = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long offset = offsets.wall(now) - now;
    offsets.note(now + 1000, offset + 900_000);
    assertThat(offsets.wall(now + 2000)).isEqualTo(now + 2000 + offset);
  }

  @Test
  void whatIsOlderThanTheFirstMeasureTakesThat() {
    long now = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long offset = offsets.wall(now) - now;
    assertThat(offsets.wall(5)).isEqualTo(5 + offset);
  }
}
