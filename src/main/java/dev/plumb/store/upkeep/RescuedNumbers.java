package dev.plumb.store.upkeep;

import dev.plumb.profile.StackEnd;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.dictionary.StackDictionary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/**
 * Makes the numbers of a rescued database consistent: a dictionary's stacks and frames have no
 * gaps, every row's series exists, and new numbers are above all that were ever used.
 */
final class RescuedNumbers {
  private static final String LOST_FRAME = "'[lost]', 0, false, false, '', '', 0, 0, '', 0";

  /** The end of a stack whose callers are lost. */
  private static final int LOST_END = StackEnd.UNREADABLE.ordinal();

  private final DuckDBConnection connection;

  RescuedNumbers(DuckDBConnection connection) {
    this.connection = connection;
  }

  void mend() throws SQLException {
    execute("DELETE FROM all_series WHERE measure NOT IN (SELECT id FROM measures)");
    List<Integer> tables =
        numbers(
            "SELECT table_name FROM duckdb_tables() WHERE database_name ="
                + " current_database() AND regexp_full_match(table_name, 'hot_[0-9]+')");
    for (int table : tables) {
      execute(
          "DELETE FROM %s WHERE series NOT IN (SELECT id FROM all_series)"
              .formatted(StoreSchema.hotName(table)));
    }
    if (number("SELECT count(*) FROM dictionaries") == 0) {
      execute("INSERT INTO dictionaries VALUES (0, 0, 0)");
    }
    for (int table : tables) {
      enterTable(table);
      execute(
          ("UPDATE hot_%1$d SET stack = %2$d + (SELECT stack_base FROM hot_tables WHERE id = %1$d)"
                  + " WHERE stack NOT IN (SELECT id FROM all_stacks)")
              .formatted(table, LOST_END));
    }
    execute("DELETE FROM hot_tables WHERE id NOT IN (%s)".formatted(list(tables)));
    long stacks =
        Math.max(
            1 + number("SELECT coalesce(max(id), -1) FROM all_stacks"),
            StackDictionary.ENDS + number("SELECT max(stack_base) FROM dictionaries"));
    long frames =
        1
            + number(
                "SELECT coalesce(max(id), -1) FROM (SELECT id FROM all_frames"
                    + " UNION ALL SELECT frame FROM all_stacks)");
    fill(stacks, frames);
    execute(
        "INSERT INTO dictionaries SELECT %d, %d, (SELECT coalesce(max(id), 0) + 1 FROM details)"
            .formatted(stacks, frames));
  }

  /** A table of samples whose entry is lost uses the dictionary that its stacks lie in. */
  private void enterTable(int table) throws SQLException {
    if (number("SELECT count(*) FROM hot_tables WHERE id = " + table) == 0) {
      execute(
          ("INSERT INTO hot_tables SELECT %d, coalesce(max(stack_base), 0) FROM dictionaries"
                  + " WHERE stack_base <= (SELECT min(stack) FROM hot_%d)")
              .formatted(table, table));
    }
  }

  private static String list(List<Integer> numbers) {
    return numbers.isEmpty() ? "-1" : numbers.toString().replaceAll("[\\[\\]]", "");
  }

  /** Adds entries for lost numbers; no remaining row refers to the added stacks. */
  private void fill(long stackEnd, long frameEnd) throws SQLException {
    List<Integer> bases = numbers("SELECT stack_base FROM dictionaries");
    List<Integer> frameBases = numbers("SELECT frame_base FROM dictionaries");
    for (int i = 0; i < bases.size(); i++) {
      long end = i + 1 < bases.size() ? bases.get(i + 1) : stackEnd;
      execute(
          ("UPDATE all_stacks SET caller = %d WHERE id >= %d AND id < %d"
                  + " AND caller NOT IN (SELECT id FROM all_stacks)")
              .formatted(bases.get(i) + LOST_END, bases.get(i), end));
      execute(
          ("INSERT INTO all_stacks SELECT i, CASE WHEN i < %1$d + %3$d THEN i ELSE %1$d END, -1,"
                  + " CASE WHEN i = %1$d THEN 0 ELSE 1 END FROM range(%1$d, %2$d) r(i)"
                  + " WHERE i NOT IN (SELECT id FROM all_stacks)")
              .formatted(bases.get(i), end, StackDictionary.ENDS));
    }
    if (!frameBases.isEmpty()) {
      execute(
          "INSERT INTO all_frames SELECT i, %s FROM range(%d, %d) r(i) WHERE i NOT IN (SELECT id FROM all_frames)"
              .formatted(LOST_FRAME, frameBases.getFirst(), frameEnd));
    }
  }

  private void execute(String sql) throws SQLException {
    Database.execute(connection, sql);
  }

  private long number(String sql) throws SQLException {
    return Database.number(connection, sql);
  }

  /** The numbers in which values of the first column end, sorted. */
  private List<Integer> numbers(String sql) throws SQLException {
    List<Integer> numbers = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        numbers.add(Integer.parseInt(rows.getString(1).replaceAll("\\D", "")));
      }
    }
    numbers.sort(null);
    return numbers;
  }
}
