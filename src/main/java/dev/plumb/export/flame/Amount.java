package dev.plumb.export.flame;

import java.util.List;
import java.util.Locale;

/** Formats values for people: with a unit and few digits. */
public final class Amount {
  private static final List<String> TIMES = List.of("ns", "µs", "ms", "s");
  private static final List<String> SIZES = List.of("B", "KB", "MB", "GB", "TB", "PB");

  private Amount() {}

  /**
   * {@code 3.12 s} for nanoseconds, {@code 1.50 MB} for bytes, {@code 2 068 samples} for counts.
   */
  public static String of(long value, String name, String unit) {
    return switch (unit) {
      case "nanoseconds" -> scaled(value, 1000, TIMES);
      case "microseconds" -> scaled(value, 1000, TIMES.subList(1, 4));
      case "milliseconds" -> scaled(value, 1000, TIMES.subList(2, 4));
      case "bytes" -> scaled(value, 1024, SIZES);
      case "count" -> grouped(value) + " " + name;
      default -> grouped(value) + " " + unit;
    };
  }

  /** A count with groups of three digits: {@code 1 234 567}. */
  public static String grouped(long value) {
    return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
  }

  /** A share in percent; {@code –} if the base is zero. */
  public static String percent(long part, long base) {
    return base == 0 ? "–" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / base);
  }

  private static String scaled(long value, int step, List<String> units) {
    double rest = value;
    int unit = 0;
    while (Math.abs(rest) >= step && unit < units.size() - 1) {
      rest /= step;
      unit++;
    }
    if (unit == 0) {
      return grouped(value) + " " + units.getFirst();
    }
    if (Math.abs(rest) >= 100_000) {
      return grouped(Math.round(rest)) + " " + units.get(unit);
    }
    int digits = Math.abs(rest) < 10 ? 2 : Math.abs(rest) < 100 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + digits + "f %s", rest, units.get(unit));
  }
}
