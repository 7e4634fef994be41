package dev.plumb.store;

import java.util.List;

/** Makes the SQL that rows of a question come by. */
final class Rows {
  private Rows() {}

  /**
   * The rows of all sources, with {@code v} as the number that is asked for and {@code n} as the
   * count.
   *
   * @param columns others that are wanted, each with a comma behind it
   */
  static String of(Question question, List<Source> sources, String columns, String more) {
    StringBuilder sql = new StringBuilder();
    for (Source source : sources) {
      for (Column column : question.columns()) {
        sql.append(sql.isEmpty() ? "" : " UNION ALL ")
            .append("SELECT ")
            .append(columns)
            .append(column.name())
            .append(" AS v, count AS n FROM ")
            .append(source.from())
            .append(" WHERE ")
            .append(source.condition())
            .append(" AND ")
            .append(column.condition())
            .append(question.sampleCondition())
            .append(more);
      }
    }
    return "(" + sql + ")";
  }

  /** A sum that stays within a long. */
  static String sum(String expression) {
    return "CAST(least(greatest(sum("
        + expression
        + "), -9223372036854775807), 9223372036854775807) AS BIGINT)";
  }

  /** Only a part of each second. */
  static String slice(Selection.Slice slice) {
    if (slice.isWhole()) {
      return "";
    }
    long from = View.micros(slice.fromNanos());
    long to = View.micros(slice.toNanos());
    return " AND time % 1000000 >= " + from + " AND time % 1000000 < " + to;
  }
}
