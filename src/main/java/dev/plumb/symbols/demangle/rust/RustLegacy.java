package dev.plumb.symbols.demangle.rust;

import dev.plumb.symbols.demangle.itanium.Parse;
import dev.plumb.symbols.demangle.itanium.Utf8;

/**
 * Demangles Rust's older names: a C++ nested name that ends in a hash, in which {@code $LT$} and
 * the like stand for other characters. The hash is not shown.
 */
public final class RustLegacy {
  /** The length of {@code 17h0123456789abcdefE}. */
  private static final int HASH = 20;

  private RustLegacy() {}

  /** The end of the name, after its {@code E}; -1 if this is not such a name. */
  public static int end(String name) {
    if (!name.startsWith("_ZN")) {
      return -1;
    }
    int from = 3;
    int at = name.indexOf("17h", from);
    while (at > 0) {
      if (at + HASH <= name.length() && name.charAt(at + HASH - 1) == 'E' && isHex(name, at + 3)) {
        return at + HASH;
      }
      at = name.indexOf("17h", at + 1);
    }
    return -1;
  }

  private static boolean isHex(String name, int at) {
    for (int i = at; i < at + 16; i++) {
      char c = name.charAt(i);
      if (!(Parse.isDigit(c) || c >= 'a' && c <= 'f')) {
        return false;
      }
    }
    return true;
  }

  /** Throws NotMangledException. */
  public static String demangle(String name, int end) {
    StringBuilder out = new StringBuilder(name.length());
    int hash = end - HASH;
    int at = 3;
    while (at < hash) {
      int length = 0;
      while (at < hash && Parse.isDigit(name.charAt(at)) && length < 0xfffff) {
        length = length * 10 + name.charAt(at++) - '0';
      }
      if (length == 0 || length > hash - at) {
        throw Parse.fail();
      }
      if (!out.isEmpty()) {
        out.append("::");
      }
      element(name, at, at + length, out);
      at += length;
    }
    if (out.isEmpty()) {
      throw Parse.fail();
    }
    RustSuffix.append(name, end, out);
    return out.toString();
  }

  private static void element(String name, int start, int end, StringBuilder out) {
    int at = start;
    if (end - at > 1 && name.charAt(at) == '_' && name.charAt(at + 1) == '$') {
      at++;
    }
    while (at < end) {
      char c = name.charAt(at);
      if (c == '.') {
        boolean two = at + 1 < end && name.charAt(at + 1) == '.';
        out.append(two ? "::" : ".");
        at += two ? 2 : 1;
      } else if (c == '$') {
        int close = name.indexOf('$', at + 1);
        if (close < 0 || close >= end || !escape(name, at + 1, close, out)) {
          out.append(name, at, end);
          return;
        }
        at = close + 1;
      } else {
        out.append(c);
        at++;
      }
    }
  }

  /** Writes the character of an escape; false if there is no such escape. */
  private static boolean escape(String name, int start, int end, StringBuilder out) {
    if (name.charAt(start) == 'u') {
      int value = 0;
      for (int i = start + 1; i < end; i++) {
        int digit = Character.digit(name.charAt(i), 16);
        value = value * 16 + digit;
        if (digit < 0 || Character.isUpperCase(name.charAt(i)) || value > 0x10ffff) {
          return false;
        }
      }
      if (end == start + 1 || Character.isISOControl(value) || value >= 0xd800 && value < 0xe000) {
        return false;
      }
      Utf8.append(value, out);
      return true;
    }
    char c =
        switch (end - start) {
          case 1 -> name.charAt(start) == 'C' ? ',' : 0;
          case 2 ->
              switch (name.charAt(start) << 8 | name.charAt(start + 1)) {
                case 'S' << 8 | 'P' -> '@';
                case 'B' << 8 | 'P' -> '*';
                case 'R' << 8 | 'F' -> '&';
                case 'L' << 8 | 'T' -> '<';
                case 'G' << 8 | 'T' -> '>';
                case 'L' << 8 | 'P' -> '(';
                case 'R' << 8 | 'P' -> ')';
                default -> 0;
              };
          default -> 0;
        };
    if (c != 0) {
      out.append(c);
    }
    return c != 0;
  }
}
