package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ranges laid over each other, against painting every address. */
class AddressRangesTest {
  private static final int ADDRESSES = 400;

  @Test
  void showsWhatWasPaintedLast() {
    AddressRangeBatch batch = new AddressRangeBatch();
    for (int seed = 0; seed < 3000; seed++) {
      Random random = new Random(seed);
      int[] painted = new int[ADDRESSES];
      AddressRanges spans = new AddressRanges(0);
      int number = 1;
      for (int round = 0; round < 1 + random.nextInt(4); round++) {
        int ranges = 1 + random.nextInt(40);
        for (int i = 0; i < ranges; i++) {
          int start = random.nextInt(ADDRESSES - 60);
          int size = 1 + random.nextInt(60);
          Arrays.fill(painted, start, start + size, number);
          batch.add(start, size, number++);
        }
        spans = batch.laidOver(spans);
      }
      for (int address = 0; address < ADDRESSES; address++) {
        int found = spans.find(address);
        assertThat(found < 0 ? 0 : spans.number(found))
            .as("seed %d, address %d", seed, address)
            .isEqualTo(painted[address]);
      }
      assertThat(spans.count()).isLessThan(2 * number);
    }
  }
}
