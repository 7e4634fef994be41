package dev.plumb.cli.text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.regex.Pattern;

/**
 * Times as people write them: {@code now-1h}, {@code 03:12}, {@code 2026-11-15T03:12Z}, seconds,
 * milliseconds, microseconds or nanoseconds since 1970.
 */
public final class Times {
  private static final Pattern NUMBER = Pattern.compile("\\d{9,19}");

  private final Instant now;
  private final ZoneId zone;

  public Times(Instant now, ZoneId zone) {
    this.now = now;
    this.zone = zone;
  }

  /** Wall-clock nanoseconds; throws IllegalArgumentException if it is no moment. */
  public long nanos(String text) {
    String word = text.strip();
    try {
      if (word.equals("now")) {
        return nanos(now);
      }
      if (word.startsWith("now-")) {
        return nanos(now.minusNanos(new Durations().convert(days(word.substring(4)))));
      }
      if (NUMBER.matcher(word).matches()) {
        return epoch(word);
      }
      return nanos(moment(word));
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "'%s' is not a time; use now-1h, 03:12, 2026-11-15T03:12 or seconds since 1970"
              .formatted(text),
          e);
    }
  }

  /** Durations have no unit for days. */
  private static String days(String text) {
    return text.endsWith("d") && text.length() > 1 && text.length() < 8
        ? Long.parseLong(text.substring(0, text.length() - 1)) * 24 + "h"
        : text;
  }

  /** The number of digits tells the unit. */
  private static long epoch(String digits) {
    long number = Long.parseLong(digits);
    long unit = 1;
    for (int length = digits.length(); length < 17; length += 3) {
      unit *= 1000;
    }
    return Math.multiplyExact(number, digits.length() > 17 ? 1 : unit);
  }

  private Instant moment(String word) {
    if (word.indexOf('-') < 0) {
      ZonedDateTime today =
          LocalTime.parse(word).atDate(LocalDate.ofInstant(now, zone)).atZone(zone);
      return (today.toInstant().isAfter(now) ? today.minusDays(1) : today).toInstant();
    }
    String iso = word.replace(' ', 'T');
    if (iso.indexOf('T') < 0) {
      return LocalDate.parse(iso).atStartOfDay(zone).toInstant();
    }
    boolean offset =
        iso.endsWith("Z") || iso.lastIndexOf('+') > 0 || iso.lastIndexOf('-') > iso.indexOf('T');
    return offset
        ? OffsetDateTime.parse(iso).toInstant()
        : LocalDateTime.parse(iso).atZone(zone).toInstant();
  }

  private static long nanos(Instant moment) {
    return Math.addExact(
        Math.multiplyExact(moment.getEpochSecond(), 1_000_000_000L), moment.getNano());
  }
}
