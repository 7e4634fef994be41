package dev.plumb.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Held against a HashMap. */
class LongIntIndexTest {
  private record Key(long first, int second) {}

  @Test
  void numbersPairsInTheOrderOfComing() {
    LongIntIndex index = new LongIntIndex();
    Map<Key, Integer> expected = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      Key key =
          new Key((random.nextInt(300) - 150L) << random.nextInt(3) * 16, random.nextInt(100) - 50);
      Integer known = expected.putIfAbsent(key, expected.size());
      assertThat(index.find(key.first(), key.second())).isEqualTo(known == null ? -1 : known);
      assertThat(index.add(key.first(), key.second()))
          .isEqualTo(known == null ? expected.size() - 1 : known);
    }
    assertThat(index.size()).isEqualTo(expected.size()).isGreaterThan(20_000);
    expected.forEach(
        (key, number) -> {
          assertThat(index.first(number)).isEqualTo(key.first());
          assertThat(index.second(number)).isEqualTo(key.second());
        });
  }
}
