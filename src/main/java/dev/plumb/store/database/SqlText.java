package dev.plumb.store.database;

/** Pieces of SQL that every room needs. */
public final class SqlText {
  private SqlText() {}

  /** A text as SQL writes it; a zero would end it. */
  public static String quoted(String text) {
    return "'" + text.replace("\0", "").replace("'", "''") + "'";
  }

  /** A sum that stays within a long. */
  public static String sum(String expression) {
    return "CAST(least(greatest(sum("
        + expression
        + "), -9223372036854775807), 9223372036854775807) AS BIGINT)";
  }
}
