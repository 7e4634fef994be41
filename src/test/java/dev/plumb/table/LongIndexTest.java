package dev.plumb.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Held against a HashMap. */
class LongIndexTest {
  @Test
  void numbersKeysInTheOrderOfComing() {
    LongIndex index = new LongIndex();
    Map<Long, Integer> expected = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      // Few bits, so that many come again; both signs, and 0.
      long key = (random.nextInt(50_000) - 25_000L) << random.nextInt(3) * 16;
      Integer known = expected.putIfAbsent(key, expected.size());
      assertThat(index.add(key)).isEqualTo(known == null ? expected.size() - 1 : known);
    }
    assertThat(index.size()).isEqualTo(expected.size()).isGreaterThan(20_000);
    expected.forEach(
        (key, number) -> {
          assertThat(index.find(key)).isEqualTo(number);
          assertThat(index.key(number)).isEqualTo(key);
        });
    assertThat(index.find(Long.MAX_VALUE)).isEqualTo(-1);
  }

  @Test
  void growsFromASingleKey() {
    LongIndex index = new LongIndex(1);
    for (int i = 0; i < 1000; i++) {
      assertThat(index.add(i * 3L)).isEqualTo(i);
    }
    assertThat(index.find(999 * 3L)).isEqualTo(999);
    assertThat(index.toArray()).hasSize(1000).startsWith(0, 3, 6);
  }
}
