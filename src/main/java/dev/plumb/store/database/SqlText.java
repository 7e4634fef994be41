package dev.plumb.store.database;

/** Fragments of SQL that several rooms need. */
public final class SqlText {
  private SqlText() {}

  /** A string literal; without NUL characters, which would end it. */
  public static String quoted(String text) {
    return "'" + text.replace("\0", "").replace("'", "''") + "'";
  }

  /** A sum, clamped to the range of a long. */
  public static String sum(String expression) {
    return "CAST(least(greatest(sum("
        + expression
        + "), -9223372036854775807), 9223372036854775807) AS BIGINT)";
  }
}
