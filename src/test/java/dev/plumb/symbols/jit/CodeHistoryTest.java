package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.OwnTime;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Code that comes and goes, against looking at every piece of it. */
class CodeHistoryTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int PIECES = 200;

  @Test
  void findsWhatLayThereThen() {
    int found = 0;
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      CodeHistory code = new CodeHistory();
      CodeNumbers numbers = new CodeNumbers();
      long[] starts = new long[PIECES];
      int[] sizes = new int[PIECES];
      long[] times = new long[PIECES];
      long[] ends = new long[PIECES];
      for (int i = 0; i < PIECES; i++) {
        starts[i] = random.nextInt(1000);
        sizes[i] = 1 + random.nextInt(50);
        times[i] = (i + 1) * SECOND * 2;
        ends[i] = Long.MAX_VALUE;
        code.add(starts[i], sizes[i], times[i], i, 0, i * 7);
        if (random.nextInt(3) == 0) {
          int gone = random.nextInt(i + 1);
          assertThat(numbers.find(code, gone * 7)).isEqualTo(gone);
          ends[gone] = times[i];
          code.end(gone, times[i]);
        }
        if (random.nextInt(10) == 0) {
          code.find(random.nextInt(1000), times[i]); // sorts what is there so far
        }
      }
      for (int i = 0; i < 200; i++) {
        long address = random.nextInt(1100);
        long time = random.nextLong(PIECES * 2L * SECOND);
        int expected = -1;
        for (int piece = 0; piece < PIECES; piece++) {
          boolean there = address >= starts[piece] && address < starts[piece] + sizes[piece];
          boolean then = times[piece] <= time && ends[piece] > time;
          boolean soon = times[piece] > time && times[piece] <= time + SECOND && ends[piece] > time;
          if (there && (then || soon && expected < 0)) {
            expected = piece;
          }
        }
        assertThat(code.find(address, time)).as("seed %d, %d", seed, i).isEqualTo(expected);
        found += expected >= 0 ? 1 : 0;
      }
    }
    assertThat(found).isGreaterThan(10_000);
  }

  /** Every piece at one address: the answer comes soon all the same. */
  @Test
  void isNotHeldUp() {
    CodeHistory code = new CodeHistory();
    for (int i = 0; i < 300_000; i++) {
      code.add(i, 1 << 30, i, i, 0, 5);
    }
    code.find(1 << 20, Long.MAX_VALUE);
    long start = OwnTime.nanos();
    for (int i = 0; i < 100; i++) {
      assertThat(code.find(1 << 20, Long.MAX_VALUE)).isNotNegative();
    }
    assertThat(OwnTime.nanos() - start).isLessThan(SECOND);
  }
}
