package dev.plumb.symbols.demangle.rust;

import dev.plumb.symbols.demangle.itanium.Parse;

/** The suffix that LLVM adds to a Rust name. */
final class RustSuffix {
  private static final String LLVM = ".llvm.";

  private RustSuffix() {}

  /** The number of an LLVM module is left out, anything else ({@code .cold}) is kept. */
  static void append(String name, int end, StringBuilder out) {
    if (end == name.length()) {
      return;
    }
    if (name.charAt(end) != '.') {
      throw Parse.fail();
    }
    int stop = name.length();
    int llvm = name.indexOf(LLVM, end);
    if (llvm >= 0 && isNumber(name, llvm + LLVM.length())) {
      stop = llvm;
    }
    out.append(name, end, stop);
  }

  private static boolean isNumber(String name, int from) {
    for (int i = from; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!(Parse.isDigit(c) || c >= 'A' && c <= 'F' || c == '@')) {
        return false;
      }
    }
    return true;
  }
}
