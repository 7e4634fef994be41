package dev.plumb.symbols.demangle.rust;

import dev.plumb.symbols.demangle.itanium.Parse;
import dev.plumb.symbols.demangle.itanium.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The constants of Rust's v0 names, as generic arguments and array lengths. */
final class RustConstants {
  private final RustV0 p;

  RustConstants(RustV0 p) {
    this.p = p;
  }

  /** Writes a constant, in braces unless it is plain or within an expression. */
  void constant(boolean inExpression) {
    p.enter();
    char tag = p.next();
    switch (tag) {
      case 'p' -> p.say("_");
      case 'h', 't', 'm', 'y', 'o', 'j' -> number();
      case 'a', 's', 'l', 'x', 'n', 'i' -> {
        p.say(p.accept('n') ? "-" : "");
        number();
      }
      case 'b' -> {
        String digits = digits();
        if (!digits.equals("0") && !digits.equals("1")) {
          throw Parse.fail();
        }
        p.say(digits.equals("1") ? "true" : "false");
      }
      case 'c' -> character();
      case 'B' -> {
        int back = p.followBackReference();
        if (p.quiet == 0) {
          constant(inExpression);
        }
        p.at = back;
      }
      default -> compound(tag, inExpression);
    }
    p.leave();
  }

  private void compound(char tag, boolean inExpression) {
    if (tag == 'R' && p.accept('e')) {
      string();
      return;
    }
    p.say(inExpression ? "" : "{");
    switch (tag) {
      case 'e' -> {
        p.say("*");
        string();
      }
      case 'R', 'Q' -> {
        p.say(tag == 'R' ? "&" : "&mut ");
        constant(true);
      }
      case 'A' -> {
        p.say("[");
        list();
        p.say("]");
      }
      case 'T' -> {
        p.say("(");
        p.say(list() == 1 ? ",)" : ")");
      }
      case 'V' -> structure();
      default -> throw Parse.fail();
    }
    p.say(inExpression ? "" : "}");
  }

  private int list() {
    int count = 0;
    while (!p.accept('E')) {
      p.say(count++ > 0 ? ", " : "");
      constant(true);
    }
    return count;
  }

  private void structure() {
    p.path(true);
    switch (p.next()) {
      case 'U' -> {
        // A unit has nothing more.
      }
      case 'T' -> {
        p.say("(");
        list();
        p.say(")");
      }
      case 'S' -> {
        p.say(" { ");
        int count = 0;
        while (!p.accept('E')) {
          p.say(count++ > 0 ? ", " : "");
          p.optionalBase62('s');
          p.identifier();
          p.say(": ");
          constant(true);
        }
        p.say(" }");
      }
      default -> throw Parse.fail();
    }
  }

  /** Hexadecimal digits without leading zeros, up to {@code _}. */
  private String digits() {
    int start = p.at;
    while (Parse.isDigit(p.peek()) || p.peek() >= 'a' && p.peek() <= 'f') {
      p.at++;
    }
    String digits = p.text.substring(start, p.at);
    if (!p.accept('_')) {
      throw Parse.fail();
    }
    int zeros = 0;
    while (zeros < digits.length() && digits.charAt(zeros) == '0') {
      zeros++;
    }
    return zeros == digits.length() ? "0" : digits.substring(zeros);
  }

  private void number() {
    String digits = digits();
    if (digits.length() > 16) {
      p.say("0x");
      p.say(digits);
    } else {
      p.say(Long.toUnsignedString(Long.parseUnsignedLong(digits, 16)));
    }
  }

  private void character() {
    String digits = digits();
    int value = digits.length() > 6 ? -1 : Integer.parseInt(digits, 16);
    if (value < 0 || value > 0x10ffff || value >= 0xd800 && value < 0xe000) {
      throw Parse.fail();
    }
    p.say("'");
    escaped(value, '\'');
    p.say("'");
  }

  /** Reads a string: two hexadecimal digits per byte of UTF-8. */
  private void string() {
    int start = p.at;
    while (Parse.isDigit(p.peek()) || p.peek() >= 'a' && p.peek() <= 'f') {
      p.at++;
    }
    int end = p.at;
    if (!p.accept('_') || (end - start) % 2 != 0) {
      throw Parse.fail();
    }
    byte[] bytes = HexFormat.of().parseHex(p.text, start, end);
    p.say("\"");
    new String(bytes, StandardCharsets.UTF_8).codePoints().forEach(c -> escaped(c, '"'));
    p.say("\"");
  }

  /** Writes a character like Rust's debug output. */
  private void escaped(int c, char quote) {
    if (p.quiet > 0) {
      return;
    }
    switch (c) {
      case 0 -> p.say("\\0");
      case '\t' -> p.say("\\t");
      case '\n' -> p.say("\\n");
      case '\r' -> p.say("\\r");
      case '\\' -> p.say("\\\\");
      default -> {
        if (c == quote) {
          p.say("\\");
          p.say(String.valueOf(quote));
        } else if (isUnprintable(c)) {
          p.say("\\u{" + Integer.toHexString(c) + "}");
        } else {
          Utf8.append(c, p.out);
        }
      }
    }
  }

  private static boolean isUnprintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.ENCLOSING_MARK,
          Character.FORMAT,
          Character.NON_SPACING_MARK,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          true;
      case Character.SPACE_SEPARATOR -> c != ' ';
      default -> false;
    };
  }
}
