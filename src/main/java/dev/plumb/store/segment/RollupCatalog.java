package dev.plumb.store.segment;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** The table of rollups, which is called bundles. */
public final class RollupCatalog {
  private RollupCatalog() {}

  /** All rollups, the largest first. */
  public static List<SegmentRollup> read(ReadTransaction reader) throws SQLException {
    List<SegmentRollup> rollups = new ArrayList<>();
    reader.query(
        "SELECT level, number, first_time, last_time, bytes FROM bundles"
            + " ORDER BY level DESC, number",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            rollups.add(
                new SegmentRollup(
                    chunk.vector(0).getInt(row),
                    chunk.vector(1).getInt(row),
                    chunk.vector(2).getLong(row),
                    chunk.vector(3).getLong(row),
                    chunk.vector(4).getLong(row)));
          }
        });
    return rollups;
  }

  public static void insert(DuckDBConnection connection, SegmentRollup rollup) throws SQLException {
    Database.execute(
        connection,
        "INSERT INTO bundles VALUES (%d, %d, %d, %d, %d)"
            .formatted(
                rollup.level(),
                rollup.number(),
                rollup.firstMicros(),
                rollup.lastMicros(),
                rollup.bytes()));
  }

  /** Deletes all rollups that include a segment. */
  static void deleteThoseOf(DuckDBConnection connection, int segment) throws SQLException {
    for (int level = 1; level <= SegmentRollup.LEVELS; level++) {
      delete(connection, new SegmentRollup(level, SegmentRollup.numberOf(level, segment), 0, 0, 0));
    }
  }

  public static void delete(DuckDBConnection connection, SegmentRollup rollup) throws SQLException {
    Database.execute(
        connection,
        "DELETE FROM bundles WHERE level = %d AND number = %d"
            .formatted(rollup.level(), rollup.number()));
  }
}
