package dev.plumb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorTest {
  @Test
  void readsAllOperators() {
    Selector selector = Selector.parse("{ a=\"1\",b!=\"2\" , c=~\"x.*\", service.name!~\"\\\"y\"}");
    assertThat(selector.matchers())
        .isEqualTo(
            List.of(
                new Matcher("a", Matcher.Operator.EQUAL, "1"),
                new Matcher("b", Matcher.Operator.NOT_EQUAL, "2"),
                new Matcher("c", Matcher.Operator.MATCHES, "x.*"),
                new Matcher("service.name", Matcher.Operator.NOT_MATCHES, "\"y")));
  }

  @Test
  void readsWhatItWrites() {
    Selector selector = Selector.parse("{a=\"q\\\"\\\\z\", b=~\"c|d\"}");
    assertThat(Selector.parse(selector.toString())).isEqualTo(selector);
    assertThat(Selector.parse("{}")).isEqualTo(Selector.ALL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "a=\"1\"",
        "{a}",
        "{a=}",
        "{a=\"1}",
        "{a=\"1\"",
        "{a=\"1\" b=\"2\"}",
        "{=\"1\"}",
        "{a=~\"(\"}",
        "{a=\"1\"}x",
        "{a=\"\\q\"}",
        "{,}"
      })
  void refusesOthers(String text) {
    assertThatThrownBy(() -> Selector.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hasABound() {
    assertThat(Selector.parse("{" + "a=\"b\",".repeat(100) + "}").matchers()).hasSize(100);
    assertThatThrownBy(() -> Selector.parse("{" + "a=\"b\",".repeat(10_000) + "}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than 100 conditions");
  }
}
