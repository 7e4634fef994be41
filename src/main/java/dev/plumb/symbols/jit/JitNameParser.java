package dev.plumb.symbols.jit;

/** Takes apart the one text that compilers write per function: name, tier, file, line. */
final class JitNameParser {
  /** V8's kinds of code that have source code: {@code JS:*name /path/file.js:12:34}. */
  private static final String[] V8_SOURCES = {
    "JS:", "LazyCompile:", "Function:", "Script:", "Eval:"
  };

  /**
   * How a source file begins in V8's text: names may contain blanks ({@code get size}), and so may
   * paths.
   */
  private static final String[] PLACES = {" /", " node:", " file:", " evalmachine.", " [eval"};

  private static final String V8_MARKS = "~^+*";

  /** CPython, Python/perf_trampoline.c: {@code py::qualified.name:/path/file.py}. */
  private static final String PYTHON = "py::";

  private static final String ANONYMOUS = "(anonymous)";

  private JitNameParser() {}

  static JitFunction of(String text, long processAddress, long size) {
    if (text.startsWith(PYTHON)) {
      return python(text, processAddress, size);
    }
    int rest = v8Prefix(text);
    return rest > 0 ? v8(text, rest, processAddress, size) : plain(text, processAddress, size);
  }

  /** Whether V8 wrote it, for code that has source code. */
  static boolean isV8(String text) {
    return v8Prefix(text) > 0;
  }

  private static JitFunction plain(String text, long processAddress, long size) {
    return new JitFunction(text, text, "", "", 0, false, processAddress, size);
  }

  private static int v8Prefix(String text) {
    for (String prefix : V8_SOURCES) {
      if (text.startsWith(prefix)) {
        return prefix.length();
      }
    }
    return 0;
  }

  private static JitFunction python(String text, long processAddress, long size) {
    int colon = text.indexOf(':', PYTHON.length());
    if (colon <= PYTHON.length()) {
      return plain(text, processAddress, size);
    }
    return new JitFunction(
        text,
        text.substring(PYTHON.length(), colon),
        "",
        text.substring(colon + 1),
        0,
        false,
        processAddress,
        size);
  }

  private static JitFunction v8(String text, int rest, long processAddress, long size) {
    boolean marked = rest < text.length() && V8_MARKS.indexOf(text.charAt(rest)) >= 0;
    String tier = marked ? text.substring(rest, rest + 1) : "";
    int nameStart = rest + tier.length();
    int column = numberBefore(text, text.length());
    int line = numberBefore(text, column);
    // A single number is the line; of two, the second is the column.
    int placeEnd = line < column ? line : column;
    int blank = blankBeforePlace(text, nameStart, placeEnd);
    if (blank < 0 || placeEnd == text.length()) {
      String name = text.substring(nameStart);
      return name.isBlank()
          ? plain(text, processAddress, size)
          : new JitFunction(text, name, tier, "", 0, false, processAddress, size);
    }
    String name = text.substring(nameStart, blank);
    return new JitFunction(
        text,
        name.isEmpty() ? ANONYMOUS : name,
        tier,
        text.substring(blank + 1, placeEnd),
        number(text, placeEnd + 1),
        false,
        processAddress,
        size);
  }

  /** The place of the colon before the digits that end at {@code end}; {@code end} if none. */
  private static int numberBefore(String text, int end) {
    int at = end;
    while (at > 0 && isDigit(text.charAt(at - 1))) {
      at--;
    }
    return at < end && at > 0 && text.charAt(at - 1) == ':' ? at - 1 : end;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static int blankBeforePlace(String text, int from, int to) {
    int first = -1;
    for (String place : PLACES) {
      int at = text.indexOf(place, from);
      if (at >= 0 && at < to && (first < 0 || at < first)) {
        first = at;
      }
    }
    int blank = first >= 0 ? first : text.indexOf(' ', from);
    return blank < to ? blank : -1;
  }

  /** 0 if it is no line number. */
  private static int number(String text, int at) {
    long value = 0;
    for (int i = at; i < text.length() && isDigit(text.charAt(i)); i++) {
      value = Math.min(Integer.MAX_VALUE + 1L, value * 10 + text.charAt(i) - '0');
    }
    return value > Integer.MAX_VALUE ? 0 : (int) value;
  }
}
