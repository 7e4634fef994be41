package dev.plumb.store.write;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.StoreSchema;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;
import org.duckdb.DuckDBConnection;

/** Deletes dictionaries, series and notes that no segment and no table of samples refers to. */
final class Pruning {
  /** The series that remain. */
  record Left(BitSet series) {}

  private Pruning() {}

  static Left run(DuckDBConnection connection) throws SQLException {
    long base =
        Database.number(
            connection,
            "SELECT min(stack_base) FROM (SELECT stack_base FROM segments UNION ALL"
                + " SELECT stack_base FROM hot_tables)");
    long frames = ofDictionary(connection, "frame_base", base);
    long details = ofDictionary(connection, "detail_base", base);
    delete(connection, "all_stacks WHERE id < " + base);
    delete(connection, "all_frames WHERE id < " + frames);
    delete(connection, "details WHERE id < " + details);
    delete(connection, "dictionaries WHERE stack_base < " + base);
    BitSet used = usedSeries(connection);
    StringBuilder unused = new StringBuilder();
    for (int id : ids(connection, "SELECT id FROM all_series")) {
      if (!used.get(id)) {
        unused.append(unused.isEmpty() ? "" : ",").append(id);
      }
    }
    if (!unused.isEmpty()) {
      delete(connection, "all_series WHERE id IN (" + unused + ")");
      delete(connection, "series_labels WHERE series IN (" + unused + ")");
    }
    deleteOldNotes(connection);
    return new Left(used);
  }

  private static long ofDictionary(DuckDBConnection connection, String column, long base)
      throws SQLException {
    return Database.number(
        connection, "SELECT %s FROM dictionaries WHERE stack_base = %d".formatted(column, base));
  }

  private static void delete(DuckDBConnection connection, String what) throws SQLException {
    Database.execute(connection, "DELETE FROM " + what);
  }

  private static BitSet usedSeries(DuckDBConnection connection) throws SQLException {
    BitSet used = new BitSet();
    for (int id : ids(connection, "SELECT DISTINCT series FROM segment_series")) {
      used.set(id);
    }
    for (int table : ids(connection, "SELECT id FROM hot_tables")) {
      for (int id : ids(connection, "SELECT DISTINCT series FROM " + StoreSchema.hotName(table))) {
        used.set(id);
      }
    }
    return used;
  }

  private static int[] ids(DuckDBConnection connection, String sql) throws SQLException {
    BitSet ids = new BitSet();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        ids.set(rows.getInt(1));
      }
    }
    return ids.stream().toArray();
  }

  /** Notes on the quality of recordings are kept as long as the oldest sums. */
  private static void deleteOldNotes(DuckDBConnection connection) throws SQLException {
    if (Database.number(connection, "SELECT count(*) FROM segments") > 0) {
      long oldest = Database.number(connection, "SELECT min(first_time) FROM segments");
      // If the clock was set back, a table has rows older than all segments.
      for (int table : ids(connection, "SELECT id FROM hot_tables")) {
        String times = "SELECT coalesce(min(time), %d) FROM %s";
        oldest =
            Math.min(
                oldest,
                Database.number(connection, times.formatted(oldest, StoreSchema.hotName(table))));
      }
      delete(connection, "recording_quality WHERE time < " + oldest);
    }
  }
}
