package dev.plumb.symbols.demangle.rust;

import dev.plumb.symbols.demangle.itanium.Parse;
import dev.plumb.symbols.demangle.itanium.Utf8;

/** Decodes identifiers of Rust names (RFC 3492, with {@code _} for {@code -}). */
final class Punycode {
  private static final int BASE = 36;
  private static final int MAX_LENGTH = 256;

  private Punycode() {}

  /**
   * Throws NotMangledException.
   *
   * @param asciiEnd where the plain characters end
   * @param codes where the coded part starts
   */
  static void decode(String text, int start, int asciiEnd, int codes, int end, StringBuilder out) {
    int[] points = new int[MAX_LENGTH];
    int length = 0;
    for (int i = start; i < asciiEnd; i++) {
      if (length == MAX_LENGTH) {
        throw Parse.fail();
      }
      points[length++] = text.charAt(i);
    }
    long n = 0x80;
    long i = 0;
    int bias = 72;
    boolean first = true;
    int at = codes;
    while (at < end) {
      long before = i;
      long weight = 1;
      for (int k = BASE; ; k += BASE) {
        if (at == end) {
          throw Parse.fail();
        }
        char c = text.charAt(at++);
        int digit = c >= 'a' && c <= 'z' ? c - 'a' : Parse.isDigit(c) ? c - '0' + 26 : -1;
        i += digit * weight;
        if (digit < 0 || i > Integer.MAX_VALUE) {
          throw Parse.fail();
        }
        int threshold = Math.clamp((long) k - bias, 1, 26);
        if (digit < threshold) {
          break;
        }
        weight *= BASE - threshold;
        if (weight > Integer.MAX_VALUE) {
          throw Parse.fail();
        }
      }
      bias = bias(i - before, length + 1, first);
      first = false;
      n += i / (length + 1);
      i %= length + 1;
      if (n > 0x10ffff || n >= 0xd800 && n < 0xe000 || length == MAX_LENGTH) {
        throw Parse.fail();
      }
      System.arraycopy(points, (int) i, points, (int) i + 1, length - (int) i);
      points[(int) i++] = (int) n;
      length++;
    }
    for (int j = 0; j < length; j++) {
      Utf8.append(points[j], out);
    }
  }

  private static int bias(long change, int length, boolean first) {
    long delta = first ? change / 700 : change / 2;
    delta += delta / length;
    int k = 0;
    while (delta > (BASE - 1) * 26 / 2) {
      delta /= BASE - 1;
      k += BASE;
    }
    return (int) (k + (BASE * delta) / (delta + 38));
  }
}
