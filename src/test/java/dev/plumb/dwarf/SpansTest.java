package dev.plumb.dwarf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against painting every address. */
class SpansTest {
  private static final int SIZE = 300;
  private static final long BASE = 0xffff_ffff_8000_0000L;

  @Test
  void holdsTheHighestRankEverywhere() {
    for (int seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      SpanBuilder builder = new SpanBuilder(new CodeSpace(BASE, SIZE), 1000);
      int[] painted = new int[SIZE];
      int[] ranks = new int[SIZE];
      Arrays.fill(painted, Spans.NONE);
      Arrays.fill(ranks, -1);
      int count = random.nextInt(30);
      for (int value = 0; value < count; value++) {
        int low = random.nextInt(SIZE + 20) - 10;
        int high = low + random.nextInt(60) - 5;
        int rank = random.nextInt(3);
        builder.add(BASE + low, BASE + high, value, rank);
        for (int i = low; low >= 0 && i < Math.min(SIZE, high); i++) {
          if (rank >= ranks[i]) {
            ranks[i] = rank;
            painted[i] = value;
          }
        }
      }
      Spans spans = builder.build();
      for (int i = 0; i < SIZE; i++) {
        assertThat(spans.find(i)).as("seed %d, offset %d", seed, i).isEqualTo(painted[i]);
      }
    }
  }
}
