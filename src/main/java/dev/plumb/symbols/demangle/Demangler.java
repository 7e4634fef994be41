package dev.plumb.symbols.demangle;

import dev.plumb.symbols.demangle.itanium.Itanium;
import dev.plumb.symbols.demangle.itanium.NotMangledException;
import dev.plumb.symbols.demangle.itanium.Parse;
import dev.plumb.symbols.demangle.rust.RustLegacy;
import dev.plumb.symbols.demangle.rust.RustV0;
import java.nio.charset.StandardCharsets;

/**
 * Turns mangled names of functions into those that the programmers wrote: C++ (Itanium ABI) and
 * Rust. Total: what is not a mangled name, or is too deep or too long to be a real one, comes back
 * unchanged.
 */
public final class Demangler {
  /** Longer than any compiler makes them. */
  private static final int MAX_INPUT = 1 << 16;

  private Demangler() {}

  /** The whole name. */
  public static String demangle(String mangled) {
    return demangle(mangled, NameStyle.FULL);
  }

  public static String demangle(String mangled, NameStyle style) {
    if (style == NameStyle.RAW || mangled.length() < 3 || mangled.charAt(0) != '_') {
      return mangled;
    }
    if (mangled.length() > MAX_INPUT) {
      return mangled;
    }
    try {
      return isAscii(mangled) ? decoded(ofBytes(mangled, style)) : bytes(mangled, style);
    } catch (NotMangledException | StackOverflowError e) {
      // Depth is bounded, but some thread's stack may be too small even for that.
      return mangled;
    }
  }

  private static String ofBytes(String mangled, NameStyle style) {
    boolean brief = style == NameStyle.SHORT;
    if (mangled.charAt(1) == 'R') {
      return RustV0.demangle(mangled, brief);
    }
    int rustEnd = RustLegacy.end(mangled);
    if (rustEnd > 0) {
      return RustLegacy.demangle(mangled, rustEnd);
    }
    if (Itanium.looksMangled(mangled)) {
      return Itanium.demangle(mangled, brief);
    }
    throw Parse.fail();
  }

  private static boolean isAscii(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  /** Lengths in mangled names count bytes, so each byte becomes a char on the way. */
  private static String bytes(String mangled, NameStyle style) {
    return decoded(
        ofBytes(
            new String(mangled.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1),
            style));
  }

  private static String decoded(String bytes) {
    return isAscii(bytes)
        ? bytes
        : new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
