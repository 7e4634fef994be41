package dev.plumb.symbols.demangle.rust;

import dev.plumb.symbols.demangle.itanium.Parse;

/** Demangles Rust's names since RFC 2603, {@code _R…}: paths here, types and constants beside. */
public final class RustV0 {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_STEPS = 1 << 18;
  private static final int MAX_OUTPUT = 1 << 17;

  final String text;
  final boolean brief;
  final StringBuilder out;
  private final RustTypes types;
  private final RustConstants constants;
  int at = 2;

  /** Above 0, what is parsed is not shown. */
  int quiet;

  /** How many lifetimes the binders around have named. */
  long boundLifetimes;

  private int depth;
  private int steps;

  private RustV0(String text, boolean brief) {
    this.text = text;
    this.brief = brief;
    this.out = new StringBuilder(2 * text.length());
    this.types = new RustTypes(this);
    this.constants = new RustConstants(this);
  }

  /** Throws NotMangledException. */
  public static String demangle(String name, boolean brief) {
    RustV0 parse = new RustV0(name, brief);
    parse.path(true);
    char c = parse.peek();
    if (c >= 'A' && c <= 'Z') {
      // The crate that instantiated it.
      parse.quiet++;
      parse.path(false);
    }
    RustSuffix.append(name, parse.at, parse.out);
    return parse.out.toString();
  }

  char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  char next() {
    return at < text.length() ? text.charAt(at++) : 0;
  }

  boolean accept(char c) {
    if (peek() == c && at < text.length()) {
      at++;
      return true;
    }
    return false;
  }

  void say(String part) {
    if (quiet == 0) {
      out.append(part);
    }
  }

  void say(long number) {
    if (quiet == 0) {
      out.append(number);
    }
  }

  void enter() {
    if (++depth > MAX_DEPTH || ++steps > MAX_STEPS || out.length() > MAX_OUTPUT) {
      throw Parse.fail();
    }
  }

  void leave() {
    depth--;
  }

  /** {@code _} is 0, {@code 0_} is 1. */
  long base62() {
    if (accept('_')) {
      return 0;
    }
    long value = 0;
    while (!accept('_')) {
      char c = next();
      int digit =
          Parse.isDigit(c)
              ? c - '0'
              : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
      // The hash of a crate uses all 64 bits.
      if (digit < 0 || Long.compareUnsigned(value, Long.divideUnsigned(-1L, 62)) > 0) {
        throw Parse.fail();
      }
      value = value * 62 + digit;
    }
    return value + 1;
  }

  long optionalBase62(char tag) {
    return accept(tag) ? base62() + 1 : 0;
  }

  /** Continues at an earlier place; returns the place to come back to. */
  int followBackReference() {
    int tag = at - 1;
    long target = base62() + 2;
    if (target < 2 || target >= tag) {
      throw Parse.fail();
    }
    int back = at;
    at = (int) target;
    return back;
  }

  void path(boolean inValue) {
    enter();
    char tag = next();
    switch (tag) {
      case 'C' -> {
        optionalBase62('s');
        identifier();
      }
      case 'N' -> nested(inValue);
      case 'M', 'X', 'Y' -> {
        if (tag != 'Y') {
          optionalBase62('s');
          quiet++;
          path(false);
          quiet--;
        }
        say("<");
        types.type();
        if (tag != 'M') {
          say(" as ");
          path(false);
        }
        say(">");
      }
      case 'I' -> {
        path(inValue);
        if (inValue) {
          say("::");
        }
        say("<");
        genericArguments();
        say(">");
      }
      case 'B' -> {
        int back = followBackReference();
        if (quiet == 0) {
          path(inValue);
        }
        at = back;
      }
      default -> throw Parse.fail();
    }
    leave();
  }

  private void nested(boolean inValue) {
    char space = next();
    path(inValue);
    long number = optionalBase62('s');
    boolean special = space >= 'A' && space <= 'Z';
    if (!special && !(space >= 'a' && space <= 'z')) {
      throw Parse.fail();
    }
    if (!special) {
      say("::");
      if (identifier() == 0 && quiet == 0) {
        out.setLength(out.length() - 2);
      }
      return;
    }
    say("::{");
    say(space == 'C' ? "closure" : space == 'S' ? "shim" : String.valueOf(space));
    say(":");
    if (identifier() == 0 && quiet == 0) {
      out.setLength(out.length() - 1);
    }
    say("#");
    say(number);
    say("}");
  }

  void genericArguments() {
    quiet += brief ? 1 : 0;
    boolean first = true;
    while (!accept('E')) {
      if (!first) {
        say(", ");
      }
      first = false;
      if (accept('L')) {
        lifetime(base62());
      } else if (accept('K')) {
        constants.constant(false);
      } else {
        types.type();
      }
    }
    quiet -= brief ? 1 : 0;
  }

  void constant() {
    constants.constant(true);
  }

  void lifetime(long index) {
    if (index == 0) {
      say("'_");
      return;
    }
    long fromOutside = boundLifetimes - index;
    if (fromOutside < 0) {
      throw Parse.fail();
    }
    if (fromOutside < 26) {
      say("'");
      say(String.valueOf((char) ('a' + fromOutside)));
    } else {
      say("'_");
      say(fromOutside);
    }
  }

  /** Its length in the mangled name. */
  int identifier() {
    boolean coded = accept('u');
    int length = 0;
    if (!Parse.isDigit(peek())) {
      throw Parse.fail();
    }
    if (!accept('0')) {
      while (Parse.isDigit(peek()) && length < 0xfffff) {
        length = length * 10 + next() - '0';
      }
    }
    accept('_');
    if (length > text.length() - at) {
      throw Parse.fail();
    }
    int start = at;
    at += length;
    if (quiet > 0) {
      return length;
    }
    if (!coded) {
      out.append(text, start, at);
      return length;
    }
    int separator = text.lastIndexOf('_', at - 1);
    if (separator >= start) {
      Punycode.decode(text, start, separator, separator + 1, at, out);
    } else {
      Punycode.decode(text, start, start, start, at, out);
    }
    return length;
  }
}
