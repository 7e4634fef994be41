package dev.plumb.store.query;

import dev.plumb.store.Selection;
import dev.plumb.store.database.SqlText;
import java.util.List;

/** Makes the SQL that selects a query's rows. */
final class RowSql {
  private RowSql() {}

  /**
   * The rows of all sources, with the requested number as {@code v} and the count as {@code n}.
   *
   * @param columns further columns, each followed by a comma
   * @param more further conditions, beginning with AND
   */
  static String of(ResolvedQuery query, List<RowSource> sources, String columns, String more) {
    StringBuilder sql = new StringBuilder();
    for (RowSource source : sources) {
      for (SeriesColumn column : query.columns()) {
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
            .append(query.sampleCondition())
            .append(more);
      }
    }
    return "(" + sql + ")";
  }

  /** The columns from which labels of samples are made. */
  static final String LABEL_COLUMNS = "pid, thread, detail, ";

  /**
   * Rows with further columns {@code label0}, {@code label1}, … for labels of samples, empty where
   * a sample has none. The rows must have {@link #LABEL_COLUMNS}.
   */
  static String labelled(String rows, List<String> names) {
    StringBuilder columns = new StringBuilder();
    StringBuilder joins = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      columns.append(", ");
      switch (name) {
        case SelectorResolver.PID -> columns.append(SelectorResolver.PID_TEXT);
        case SelectorResolver.THREAD -> columns.append("thread");
        default -> {
          columns.append("coalesce(d").append(i).append(".value, '')");
          joins.append(
              " LEFT JOIN (SELECT id, any_value(value) AS value FROM details WHERE name = %s GROUP BY id) d%d ON d%d.id = r.detail"
                  .formatted(SqlText.quoted(name), i, i));
        }
      }
      columns.append(" AS label").append(i);
    }
    return "(SELECT r.*" + columns + " FROM " + rows + " r" + joins + ")";
  }

  /** {@code , label0, label1, …} */
  static String labelNames(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(", label").append(i);
    }
    return text.toString();
  }

  /** The condition for a part of each second. */
  static String slice(Selection.Slice slice) {
    if (slice.isWhole()) {
      return "";
    }
    long from = StoreSnapshot.micros(slice.fromNanos());
    long to = StoreSnapshot.micros(slice.toNanos());
    return " AND time % 1000000 >= " + from + " AND time % 1000000 < " + to;
  }
}
