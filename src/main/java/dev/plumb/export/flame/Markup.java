package dev.plumb.export.flame;

/** Text that is safe within XML and HTML, in elements and in quoted attributes. */
final class Markup {
  private Markup() {}

  /**
   * XML 1.0 section 2.2 allows few control characters and no lone surrogates; they become U+FFFD.
   */
  static String escape(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.appendCodePoint(isAllowed(c) ? c : 0xfffd);
              }
            });
    return safe.toString();
  }

  private static boolean isAllowed(int c) {
    return c == '\t'
        || c == '\n'
        || c == '\r'
        || c >= 0x20 && c < 0xd800
        || c >= 0xe000 && c < 0xfffe
        || c >= 0x10000;
  }
}
