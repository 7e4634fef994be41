package dev.plumb.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "10, 10000000000",
    "1.5, 1500000000",
    "1.5s, 1500000000",
    "0.25ms, 250000",
    "100ms, 100000000",
    "50us, 50000",
    "50µs, 50000",
    "7ns, 7",
    "2m, 120000000000",
    "1h, 3600000000000",
    "0, 0",
  })
  void understands(String text, long nanos) {
    assertThat(new Durations().convert(text)).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "-1", "1.", ".5", "1d", "1 s", "1e3", "0x10", "1,5", "٣"})
  void saysHowToWriteOne(String text) {
    assertThatThrownBy(() -> new Durations().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("'" + text + "' is not a duration; use 10, 1.5s, 100ms, 50us, 2m or 1h");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.5ns", "99999999999999h", "0.0000000001"})
  void refusesWhatItCannotHold(String text) {
    assertThatThrownBy(() -> new Durations().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining(text)
        .hasMessageContaining("too long or finer than a nanosecond");
  }
}
