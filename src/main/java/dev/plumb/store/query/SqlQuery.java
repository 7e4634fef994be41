package dev.plumb.store.query;

import dev.plumb.store.HeapAllowance;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.database.SqlText;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Runs a user's SQL query. */
public final class SqlQuery {
  private static final Set<Integer> NUMBERS =
      Set.of(
          Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.FLOAT,
          Types.DOUBLE,
          Types.DECIMAL,
          Types.NUMERIC);

  /**
   * Table functions that only use their arguments. Others read files, run SQL that was not checked,
   * or change DuckDB's logging (which ends the process if it may not write the log file).
   */
  private static final Set<String> TABLE_FUNCTIONS =
      Set.of(
          "generate_series", "range", "repeat", "repeat_row", "unnest", "json_each", "json_tree");

  /** The driver's copy, the text, and the bytes to be sent. */
  private static final int CELL_COPIES = 3;

  private final StoreSnapshot snapshot;

  public SqlQuery(StoreSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  public void run(String query, SqlTable table) throws SQLException {
    String one = query.strip().replaceAll("[;\\s]+$", "");
    refuseChanges(one);
    refuseFunctions(one);
    for (String sql : SqlViews.of(snapshot)) {
      snapshot.reader().execute(sql);
    }
    snapshot.reader().results(one, rows -> read(rows, table));
  }

  /** DuckDB serializes only SELECTs, so its parser tells whether the query is one. */
  private void refuseChanges(String query) throws SQLException {
    boolean[] fine = new boolean[1];
    String[] why = {""};
    snapshot
        .reader()
        .query(
            "SELECT j ->> 'error', j ->> 'error_message', CAST(json_array_length(j -> 'statements') AS BIGINT)"
                + " FROM (SELECT json_serialize_sql("
                + SqlText.quoted(query)
                + ") AS j)",
            chunk -> {
              fine[0] =
                  chunk.vector(0).getString(0).equals("false") && chunk.vector(2).getLong(0) == 1;
              why[0] =
                  chunk.vector(1).isNull(0)
                      ? "only one SELECT at a time"
                      : chunk.vector(1).getString(0);
            });
    if (!fine[0]) {
      throw cannotBeRun(why[0]);
    }
  }

  private void refuseFunctions(String query) throws SQLException {
    Set<String> used = new TreeSet<>();
    snapshot
        .reader()
        .query(
            "SELECT coalesce((value -> 'function') ->> 'function_name', value ->> 'function_name')"
                + " FROM json_tree(json_serialize_sql("
                + SqlText.quoted(query)
                + ")) WHERE type = 'OBJECT' AND ((value ->> 'type') = 'TABLE_FUNCTION'"
                + " OR (value ->> 'function_name') = 'write_log')",
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                used.add(chunk.vector(0).getString(row).toLowerCase(Locale.ROOT));
              }
            });
    used.removeAll(TABLE_FUNCTIONS);
    if (!used.isEmpty()) {
      throw cannotBeRun(
          "%s is not allowed: a query may read the store's views, but no files or settings"
              .formatted(String.join(", ", used)));
    }
  }

  private static StoreException cannotBeRun(String why) {
    return new StoreException(StoreException.Reason.QUESTION, "the query cannot be run: " + why);
  }

  private static void read(ResultSet rows, SqlTable table) throws SQLException {
    ResultSetMetaData meta = rows.getMetaData();
    List<String> names = new ArrayList<>();
    List<Boolean> numeric = new ArrayList<>();
    for (int i = 1; i <= meta.getColumnCount(); i++) {
      names.add(meta.getColumnLabel(i));
      numeric.add(
          NUMBERS.contains(meta.getColumnType(i)) || meta.getColumnTypeName(i).equals("HUGEINT"));
    }
    table.columns(names, numeric);
    while (rows.next()) {
      List<String> cells = new ArrayList<>();
      boolean[] nulls = new boolean[names.size()];
      long taken = 0;
      for (int i = 1; i <= names.size(); i++) {
        Object cell = rows.getObject(i);
        nulls[i - 1] = cell == null;
        String text = String.valueOf(cell);
        HeapAllowance.take((long) CELL_COPIES * text.length());
        taken += (long) CELL_COPIES * text.length();
        cells.add(text);
      }
      table.row(cells, nulls);
      HeapAllowance.giveBack(taken);
    }
  }
}
