package dev.plumb.cli.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Nanoseconds from {@code 10}, {@code 1.5s}, {@code 100ms}, {@code 50us}, {@code 2m}; seconds if
 * bare.
 */
public final class Durations implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("(\\d+)(?:\\.(\\d+))?(ns|us|µs|ms|s|m|h)?");

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a duration; use 10, 1.5s, 100ms, 50us, 2m or 1h");
    }
    long unit =
        switch (matcher.group(3) == null ? "s" : matcher.group(3)) {
          case "ns" -> 1L;
          case "us", "µs" -> 1_000L;
          case "ms" -> 1_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          default -> 1_000_000_000L;
        };
    try {
      return times(matcher.group(1), matcher.group(2) == null ? "" : matcher.group(2), unit);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is too long or finer than a nanosecond");
    }
  }

  /** By hand, because the first use of BigDecimal takes a twentieth of the time to start. */
  private static long times(String whole, String fraction, long unit) {
    long nanos = Math.multiplyExact(Long.parseLong(whole), unit);
    long place = unit;
    for (int i = 0; i < fraction.length(); i++) {
      int digit = Character.digit(fraction.charAt(i), 10);
      if (digit != 0 && place % 10 != 0) {
        throw new ArithmeticException("finer than a nanosecond");
      }
      place /= 10;
      nanos = Math.addExact(nanos, digit * place);
    }
    return nanos;
  }
}
