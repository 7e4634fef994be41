package dev.plumb.export.flame;

import dev.plumb.profile.Symbol;
import dev.plumb.profile.SymbolKind;
import java.util.Locale;

/**
 * The colours of frames in SVG files, the same as the page's (colour.js): the kind of code gives
 * the hue, a hash of the module's name the lightness.
 */
final class Shades {
  static final int STEPS = 8;

  private Shades() {}

  /** Hue, saturation, and lightness at the first and at the last step. */
  private record Range(int hue, int saturation, int from, int to) {
    String at(int step) {
      double lightness = from + (double) (to - from) * step / (STEPS - 1);
      return String.format(Locale.ROOT, "hsl(%d,%d%%,%.1f%%)", hue, saturation, lightness);
    }
  }

  private static Range light(SymbolKind kind) {
    return switch (kind) {
      case ALL -> new Range(220, 12, 92, 92);
      case PROCESS -> new Range(220, 14, 88, 84);
      case KERNEL -> new Range(20, 88, 80, 67);
      case NATIVE -> new Range(206, 68, 82, 67);
      case JIT -> new Range(158, 46, 76, 59);
      case INTERPRETED -> new Range(47, 88, 74, 58);
      case WAITING -> new Range(220, 5, 84, 66);
      case CUT -> new Range(330, 40, 90, 86);
    };
  }

  private static Range dark(SymbolKind kind) {
    return switch (kind) {
      case ALL -> new Range(220, 8, 22, 22);
      case PROCESS -> new Range(220, 10, 26, 29);
      case KERNEL -> new Range(16, 56, 29, 39);
      case NATIVE -> new Range(208, 48, 27, 39);
      case JIT -> new Range(160, 48, 19, 28);
      case INTERPRETED -> new Range(44, 62, 21, 29);
      case WAITING -> new Range(220, 5, 27, 40);
      case CUT -> new Range(330, 24, 24, 28);
    };
  }

  /** The name of a symbol's colour. */
  static String className(Symbol symbol) {
    String text = symbol.kind() == SymbolKind.WAITING ? symbol.name() : symbol.module();
    return "k" + symbol.kind().ordinal() + Integer.toUnsignedLong(hash(text)) % STEPS;
  }

  /** Style rules for all colours, light or dark. */
  static String rules(boolean isDark) {
    StringBuilder rules = new StringBuilder();
    for (SymbolKind kind : SymbolKind.values()) {
      Range range = isDark ? dark(kind) : light(kind);
      for (int step = 0; step < STEPS; step++) {
        rules.append(".k%d%d{fill:%s}".formatted(kind.ordinal(), step, range.at(step)));
      }
    }
    return rules.toString();
  }

  /** FNV-1a over UTF-16, as the page's script does it. */
  private static int hash(String text) {
    int value = 0x811c9dc5;
    for (int i = 0; i < text.length(); i++) {
      value = (value ^ text.charAt(i)) * 0x01000193;
    }
    return value ^ value >>> 15;
  }
}
