package dev.plumb.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
  @Test
  void readsEveryKind() {
    assertThat(
            JsonValue.parse(
                    " {\"a\" : [1, -2.5e+3, true, false, null, \"x\\u0041\\n\\/\\\"\"], \"b\":{}}")
                .toString())
        .isEqualTo(
            "Members[values={a=Elements[values=[Numeral[text=1], Numeral[text=-2.5e+3],"
                + " Truth[value=true], Truth[value=false], Nothing[], Text[value=xA\n/\"]]],"
                + " b=Members[values={}]}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[1,",
        "[1 2]",
        "{\"a\":}",
        "{a:1}",
        "01",
        "-",
        "1.",
        "1e",
        "tru",
        "nul",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "[1]]",
        "{\"a\":1,}",
        "[,]",
        "\u0000",
        "+1",
        "NaN"
      })
  void refusesWhatIsNone(String text) {
    assertThatThrownBy(() -> JsonValue.parse(text)).isInstanceOf(Refusal.class);
  }

  @Test
  void deepNestsAreRefused() {
    assertThatThrownBy(() -> JsonValue.parse("[".repeat(1_000_000))).isInstanceOf(Refusal.class);
    assertThat(JsonValue.parse("[".repeat(60) + "]".repeat(60))).isNotNull();
  }

  @Test
  void anyTextIsReadOrRefused() {
    Random random = new Random(5);
    String parts = "{}[]\",:0123456789.eE+-truefalsn\\u \n";
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(12); j >= 0; j--) {
        text.append(parts.charAt(random.nextInt(parts.length())));
      }
      try {
        JsonValue.parse(text.toString());
        read++;
      } catch (Refusal e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
    assertThat(read).isGreaterThan(1_000);
  }
}
