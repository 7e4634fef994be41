package dev.plumb.store.segment;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.ParquetLayout;
import dev.plumb.store.database.StoreSchema;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Writes what the numbers in a segment's files mean (series, stacks, frames and details) to a file
 * beside them, so that they can be read without the database. Column {@code what} says what a row
 * describes.
 */
public final class SegmentNames {
  private static final String TABLE =
      "CREATE OR REPLACE TEMP TABLE names(what VARCHAR, id INTEGER, first_time BIGINT,"
          + " last_time BIGINT, sample_rows BIGINT, stack_base INTEGER, frame_base INTEGER,"
          + " detail_base INTEGER, mode VARCHAR, type VARCHAR, count_type VARCHAR, period BIGINT,"
          + " measure INTEGER, series INTEGER, name VARCHAR, value VARCHAR, caller INTEGER,"
          + " frame INTEGER, flags TINYINT, kind TINYINT, inlined BOOLEAN, named BOOLEAN,"
          + " module VARCHAR, build_id VARCHAR, address BIGINT, byte_offset BIGINT, file VARCHAR,"
          + " line INTEGER)";

  /** Run one after the other: together they would need too much memory. */
  private static final List<String> PARTS =
      List.of(
          "SELECT 'segment' AS what, %1$d AS id, CAST(%2$d AS BIGINT) AS first_time,"
              + " CAST(%3$d AS BIGINT) AS last_time, CAST(%4$d AS BIGINT) AS sample_rows,"
              + " stack_base, frame_base, detail_base FROM dictionaries WHERE stack_base = %5$d",
          "SELECT 'measure' AS what, * FROM measures",
          "SELECT 'series' AS what, * FROM all_series WHERE id IN (SELECT series FROM %6$s)",
          "SELECT 'label' AS what, * FROM series_labels WHERE series IN (SELECT series FROM %6$s)",
          "SELECT 'detail' AS what, * FROM details WHERE id IN (SELECT detail FROM %6$s)",
          "SELECT 'stack' AS what, * FROM all_stacks WHERE id IN (SELECT id FROM used_stacks)",
          "SELECT 'frame' AS what, * FROM all_frames WHERE id IN (SELECT frame FROM names"
              + " WHERE what = 'stack')");

  private SegmentNames() {}

  /** Writes the names for a table of samples that is becoming a segment. */
  public static void write(
      Database database, DuckDBConnection connection, StoreSegment segment, Path to)
      throws SQLException {
    String table = StoreSchema.hotName(segment.id());
    Database.execute(connection, "CREATE OR REPLACE TEMP TABLE used_stacks(id INTEGER)");
    try {
      try (DuckDBAppender rows = connection.createAppender("temp", "main", "used_stacks")) {
        BitSet used = usedStacks(connection, table, segment.stackBase());
        for (int stack = used.nextSetBit(0); stack >= 0; stack = used.nextSetBit(stack + 1)) {
          rows.beginRow().append(segment.stackBase() + stack).endRow();
        }
      }
      Database.execute(connection, TABLE);
      for (String part : PARTS) {
        String select =
            part.formatted(
                segment.id(),
                segment.firstMicros(),
                segment.lastMicros(),
                segment.rows(),
                segment.stackBase(),
                table);
        Database.execute(connection, "INSERT INTO names BY NAME " + select);
      }
      database.writeParquet(connection, "SELECT * FROM names", to, ParquetLayout.NAMES);
    } finally {
      Database.execute(connection, "DROP TABLE IF EXISTS temp.used_stacks");
      Database.execute(connection, "DROP TABLE IF EXISTS temp.names");
    }
  }

  /** The stacks of samples with all their callers, relative to the dictionary's base. */
  private static BitSet usedStacks(DuckDBConnection connection, String table, int base)
      throws SQLException {
    BitSet used = new BitSet();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT DISTINCT stack FROM " + table)) {
      while (rows.next()) {
        used.set(rows.getInt(1) - base);
      }
    }
    int[] callers = new int[used.length()];
    String all =
        "SELECT id, caller FROM all_stacks WHERE id >= %d AND id < %d"
            .formatted(base, base + callers.length);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(all)) {
      while (rows.next()) {
        callers[rows.getInt(1) - base] = rows.getInt(2) - base;
      }
    }
    // A caller has a lower number than its callees.
    for (int stack = callers.length - 1; stack >= 0; stack--) {
      if (used.get(stack)) {
        used.set(callers[stack]);
      }
    }
    return used;
  }
}
