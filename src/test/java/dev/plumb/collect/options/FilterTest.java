package dev.plumb.collect.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.collect.code.ProbeException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterTest {
  private static final Map<String, Object> VALUES =
      Map.of("pid", 42L, "size", 4096L, "low", -1L, "comm", "java", "name", "a b");

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "pid == 42; true",
        "pid = 42; true",
        "pid != 42; false",
        "size >= 0x1000; true",
        "size > 4096; false",
        "low < 0; true",
        "low == -1; true",
        "size & 0x1800; true",
        "size & 0x800; false",
        "comm == java; true",
        "comm == \"jav\"; false",
        "comm != 'jav'; true",
        "comm ~ \"jav*\"; true",
        "comm ~ b*; false",
        "name == \"a b\"; true",
        "pid == 1 && size == 4096 || comm == java; true",
        "pid == 1 && (size == 4096 || comm == java); false",
        "!(pid == 1) && !(comm == x); true",
        "!!(pid == 42); true",
        "(((pid == 42))); true",
      })
  void decides(String text, boolean holds) {
    assertThat(run(Filter.parse(text))).isEqualTo(holds);
  }

  /** As the kernel side does it. */
  private static boolean run(Filter filter) {
    int next = 0;
    for (int i = 0; i < filter.tests().size(); i++) {
      if (i == next) {
        Filter.Test test = filter.tests().get(i);
        next = holds(test) ? test.onTrue() : test.onFalse();
      }
    }
    assertThat(next).isGreaterThanOrEqualTo(Filter.ACCEPT);
    return next == Filter.ACCEPT;
  }

  private static boolean holds(Filter.Test test) {
    Object value = VALUES.get(test.name());
    if (test.isText()) {
      String all = value + "\0";
      boolean same = all.startsWith(new String(test.text(), StandardCharsets.UTF_8));
      return same == (test.operator() == Filter.Operator.EQUAL);
    }
    long a = (Long) value;
    return switch (test.operator()) {
      case EQUAL -> a == test.value();
      case NOT_EQUAL -> a != test.value();
      case LESS -> a < test.value();
      case LESS_OR_EQUAL -> a <= test.value();
      case GREATER -> a > test.value();
      case GREATER_OR_EQUAL -> a >= test.value();
      case ANY_BIT -> (a & test.value()) != 0;
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pid",
        "pid ==",
        "== 4",
        "pid == 4 &&",
        "(pid == 4",
        "pid == 4)",
        "pid < abc",
        "pid == 99999999999999999999",
        "comm == \"\"*",
        "comm ~ *",
        "pid == \"open",
        "pid | 4",
        "comm == aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      })
  void refuses(String text) {
    assertThatThrownBy(() -> Filter.parse(text))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("--filter");
  }

  @Test
  void tooMuchIsRefused() {
    assertThatThrownBy(() -> Filter.parse("a == 1" + " || a == 1".repeat(16)))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("16");
    assertThatThrownBy(() -> Filter.parse("(".repeat(100_000)))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("too deep");
    assertThatThrownBy(() -> Filter.parse("!".repeat(100_000)))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("too deep");
  }

  @Test
  void anyTextIsReadOrRefused() {
    Random random = new Random(11);
    String[] words = {"pid", "comm", "==", "!=", "<", "&&", "||", "(", ")", "!", "4", "\"x\"", "~"};
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(9); n >= 0; n--) {
        text.append(words[random.nextInt(words.length)]).append(random.nextBoolean() ? " " : "");
      }
      try {
        Filter filter = Filter.parse(text.toString());
        assertThat(filter.tests()).isNotEmpty();
        read++;
      } catch (ProbeException e) {
        // the only way to refuse
      }
    }
    assertThat(read).isGreaterThan(20);
  }
}
