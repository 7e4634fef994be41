package dev.plumb.cli.text;

/**
 * Foreign text on the terminal and in logs: names of recorded processes, labels, responses of
 * servers. A terminal would obey its control characters, and characters that change the direction
 * of writing would make it show something else than it contains.
 */
public final class SafeText {
  private static final int REPLACEMENT = 0xfffd;
  private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
  private static final int ZERO_WIDTH_JOINER = 0x200d;

  private SafeText() {}

  /** One line: unsafe characters become U+FFFD. */
  public static String line(String text) {
    return cleaned(text, false);
  }

  /** The same, but its lines stay lines. */
  public static String lines(String text) {
    return cleaned(text, true);
  }

  private static String cleaned(String text, boolean keepLines) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c ->
                safe.appendCodePoint(
                    isSafe(c) || keepLines && (c == '\n' || c == '\t') ? c : REPLACEMENT));
    return safe.toString();
  }

  /** The two joiners are needed to write some languages, and move nothing. */
  static boolean isSafe(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> c == ZERO_WIDTH_NON_JOINER || c == ZERO_WIDTH_JOINER;
      default -> true;
    };
  }
}
