package dev.plumb.cli.text;

/** Names from a recorded machine, for the terminal. */
public final class ShownNames {
  private static final int LONGEST = 100;

  private ShownNames() {}

  /** Safe for a terminal, and not longer than a line. */
  public static String clean(String name) {
    int end = name.codePointCount(0, name.length()) > LONGEST ? LONGEST - 1 : -1;
    return end < 0
        ? SafeText.line(name)
        : SafeText.line(name.substring(0, name.offsetByCodePoints(0, end))) + "…";
  }

  /** The last part of a path. */
  public static String file(String module) {
    return clean(module.substring(module.lastIndexOf('/') + 1));
  }
}
