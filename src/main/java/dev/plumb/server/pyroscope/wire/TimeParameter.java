package dev.plumb.server.pyroscope.wire;

import dev.plumb.server.http.Refusal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses times in Pyroscope's forms: {@code now-1h}, epoch seconds or milliseconds, ISO 8601. */
public final class TimeParameter {
  private static final Pattern RELATIVE = Pattern.compile("now(?:-(\\d{1,9})(ms|s|m|h|d|w|M|y))?");

  private static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;

  private TimeParameter() {}

  /** Epoch milliseconds. */
  public static long millis(String text, long nowMillis) {
    Matcher relative = RELATIVE.matcher(text);
    if (relative.matches()) {
      return relative.group(1) == null
          ? nowMillis
          : Math.max(0, nowMillis - Long.parseLong(relative.group(1)) * unit(relative.group(2)));
    }
    if (text.matches("\\d{1,19}")) {
      return ofNumber(text);
    }
    try {
      return Instant.parse(text).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw Refusal.invalid(
          "'%s' is not a time: write now-1h, epoch seconds or milliseconds, or 2026-01-31T12:00:00Z",
          text.length() > 40 ? text.substring(0, 40) : text);
    }
  }

  /** The size of the number tells its unit. */
  private static long ofNumber(String text) {
    java.math.BigInteger big = new java.math.BigInteger(text);
    long number = big.bitLength() > 63 ? Long.MAX_VALUE : big.longValue();
    if (number < 100_000_000_000L) {
      return number * 1000;
    }
    if (number < 100_000_000_000_000L) {
      return number;
    }
    return number < 100_000_000_000_000_000L ? number / 1000 : number / 1_000_000;
  }

  private static long unit(String name) {
    return switch (name) {
      case "ms" -> 1L;
      case "s" -> 1_000L;
      case "m" -> 60_000L;
      case "h" -> 3_600_000L;
      case "d" -> 86_400_000L;
      case "w" -> 7 * 86_400_000L;
      case "M" -> 30 * 86_400_000L;
      default -> 365 * 86_400_000L;
    };
  }

  /** Epoch nanoseconds, clamped to what a long can hold. */
  public static long nanos(long millis) {
    return Math.clamp(millis, 0, MAX_MILLIS) * 1_000_000;
  }
}
