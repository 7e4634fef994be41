package dev.plumb.cli.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 2GB}, {@code 500M}, {@code 1.5g}, {@code 4096}: bytes, in powers of 1024. */
public final class ByteSizes implements ITypeConverter<Long> {
  private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?) ?([kmgt]?)i?b?");

  @Override
  public Long convert(String text) {
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException("'" + text + "' is not a size; use 2GB or 500MB");
    }
    int power =
        switch (matcher.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          case "t" -> 40;
          default -> 0;
        };
    return (long) (Double.parseDouble(matcher.group(1)) * (1L << power));
  }

  /** {@code 1.5 GB}. */
  public static String text(long bytes) {
    String[] units = {"B", "KB", "MB", "GB", "TB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return (unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s").formatted(value, units[unit]);
  }
}
