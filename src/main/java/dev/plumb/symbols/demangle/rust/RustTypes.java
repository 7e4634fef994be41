package dev.plumb.symbols.demangle.rust;

import dev.plumb.symbols.demangle.itanium.Parse;

/** The types of Rust's v0 names. */
final class RustTypes {
  private static final int MAX_LIFETIMES = 1000;

  private final RustV0 p;

  RustTypes(RustV0 p) {
    this.p = p;
  }

  /** Empty if the letter does not stand for a basic type. */
  static String basic(char tag) {
    return switch (tag) {
      case 'a' -> "i8";
      case 'b' -> "bool";
      case 'c' -> "char";
      case 'd' -> "f64";
      case 'e' -> "str";
      case 'f' -> "f32";
      case 'h' -> "u8";
      case 'i' -> "isize";
      case 'j' -> "usize";
      case 'l' -> "i32";
      case 'm' -> "u32";
      case 'n' -> "i128";
      case 'o' -> "u128";
      case 's' -> "i16";
      case 't' -> "u16";
      case 'u' -> "()";
      case 'v' -> "...";
      case 'x' -> "i64";
      case 'y' -> "u64";
      case 'z' -> "!";
      case 'p' -> "_";
      default -> "";
    };
  }

  void type() {
    p.enter();
    char tag = p.next();
    String basic = basic(tag);
    if (!basic.isEmpty()) {
      p.say(basic);
      p.leave();
      return;
    }
    switch (tag) {
      case 'R', 'Q' -> {
        p.say("&");
        if (p.accept('L')) {
          long lifetime = p.base62();
          if (lifetime != 0) {
            p.lifetime(lifetime);
            p.say(" ");
          }
        }
        p.say(tag == 'Q' ? "mut " : "");
        type();
      }
      case 'P', 'O' -> {
        p.say(tag == 'P' ? "*const " : "*mut ");
        type();
      }
      case 'A' -> {
        p.say("[");
        type();
        p.say("; ");
        p.constant();
        p.say("]");
      }
      case 'S' -> {
        p.say("[");
        type();
        p.say("]");
      }
      case 'T' -> {
        p.say("(");
        int count = list(", ");
        p.say(count == 1 ? ",)" : ")");
      }
      case 'F' -> function();
      case 'D' -> dynamic();
      case 'W' -> {
        type();
        p.say(" is ");
        pattern();
      }
      case 'B' -> {
        int back = p.followBackReference();
        if (p.quiet == 0) {
          type();
        }
        p.at = back;
      }
      default -> {
        p.at--;
        p.path(false);
      }
    }
    p.leave();
  }

  /** What values of a type are possible: a range, one of several, or no null pointer. */
  private void pattern() {
    p.enter();
    switch (p.next()) {
      case 'R' -> {
        p.constant();
        p.say("..=");
        p.constant();
      }
      case 'O' -> {
        pattern();
        while (!p.accept('E')) {
          p.say(" | ");
          pattern();
        }
      }
      case 'N' -> p.say("!null");
      default -> throw Parse.fail();
    }
    p.leave();
  }

  private int list(String separator) {
    int count = 0;
    while (!p.accept('E')) {
      p.say(count++ > 0 ? separator : "");
      type();
    }
    return count;
  }

  /** Names the lifetimes of a binder; returns how many were bound before. */
  private long binder() {
    long before = p.boundLifetimes;
    long count = p.optionalBase62('G');
    if (count < 0 || count > MAX_LIFETIMES) {
      throw Parse.fail();
    }
    if (count > 0) {
      p.say("for<");
      for (long i = 0; i < count; i++) {
        p.say(i > 0 ? ", " : "");
        p.boundLifetimes++;
        p.lifetime(1);
      }
      p.say("> ");
    }
    return before;
  }

  private void function() {
    long outer = binder();
    if (p.accept('U')) {
      p.say("unsafe ");
    }
    if (p.accept('K')) {
      p.say("extern \"");
      if (p.accept('C')) {
        p.say("C");
      } else {
        int start = p.out.length();
        p.identifier();
        for (int i = start; i < p.out.length(); i++) {
          if (p.out.charAt(i) == '_') {
            p.out.setCharAt(i, '-');
          }
        }
      }
      p.say("\" ");
    }
    p.say("fn(");
    list(", ");
    p.say(")");
    if (!p.accept('u')) {
      p.say(" -> ");
      type();
    }
    p.boundLifetimes = outer;
  }

  private void dynamic() {
    p.say("dyn ");
    long outer = binder();
    int count = 0;
    while (!p.accept('E')) {
      p.say(count++ > 0 ? " + " : "");
      trait();
    }
    p.boundLifetimes = outer;
    if (!p.accept('L')) {
      throw Parse.fail();
    }
    long lifetime = p.base62();
    if (lifetime != 0) {
      p.say(" + ");
      p.lifetime(lifetime);
    }
  }

  /** A trait with its associated types among the generic arguments. */
  private void trait() {
    boolean open = openPath();
    while (p.accept('p')) {
      p.say(open ? ", " : "<");
      open = true;
      p.identifier();
      p.say(" = ");
      type();
    }
    if (open) {
      p.say(">");
    }
  }

  /** A path whose generic arguments are not closed yet, if it has any. */
  private boolean openPath() {
    p.enter();
    boolean open = false;
    if (p.accept('B')) {
      int back = p.followBackReference();
      if (p.quiet == 0) {
        open = openPath();
      }
      p.at = back;
    } else if (p.accept('I')) {
      p.path(false);
      p.say("<");
      p.genericArguments();
      open = true;
    } else {
      p.path(false);
    }
    p.leave();
    return open;
  }
}
