package dev.plumb.cli;

/** Names of a watched machine on one's own terminal. */
final class Names {
  private static final int LONGEST = 100;

  private Names() {}

  /** Without control characters, which a terminal would obey, and not longer than a line. */
  static String clean(String name) {
    StringBuilder text = new StringBuilder();
    name.codePoints()
        .limit(LONGEST + 1L)
        .forEach(c -> text.appendCodePoint(Character.isISOControl(c) ? 0xfffd : c));
    int length = text.codePointCount(0, text.length());
    return length > LONGEST
        ? text.substring(0, text.offsetByCodePoints(0, LONGEST - 1)) + "…"
        : text.toString();
  }

  /** The last part of a path. */
  static String file(String module) {
    return clean(module.substring(module.lastIndexOf('/') + 1));
  }
}
