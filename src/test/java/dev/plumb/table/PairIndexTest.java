package dev.plumb.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Held against a HashMap. */
class PairIndexTest {
  private record Pair(int first, int second) {}

  @Test
  void numbersPairsInTheOrderOfComing() {
    PairIndex index = new PairIndex();
    Map<Pair, Integer> expected = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      Pair pair = new Pair(random.nextInt(400) - 200, random.nextInt(100) - 50);
      Integer known = expected.putIfAbsent(pair, expected.size());
      assertThat(index.add(pair.first(), pair.second()))
          .isEqualTo(known == null ? expected.size() - 1 : known);
    }
    assertThat(index.size()).isEqualTo(expected.size());
    PairIndex copy = index.copy();
    index.add(1000, 1000);
    assertThat(copy.size()).isEqualTo(expected.size());
    expected.forEach(
        (pair, number) -> {
          assertThat(copy.first(number)).isEqualTo(pair.first());
          assertThat(copy.second(number)).isEqualTo(pair.second());
        });
  }

  @Test
  void appendsWithoutLookingUp() {
    PairIndex index = new PairIndex();
    index.reserve(5000);
    for (int i = 0; i < 6000; i++) {
      assertThat(index.append(i, -i)).isEqualTo(i);
    }
    assertThat(index.first(5999)).isEqualTo(5999);
    assertThat(index.second(5999)).isEqualTo(-5999);
  }
}
