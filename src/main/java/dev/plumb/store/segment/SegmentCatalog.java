package dev.plumb.store.segment;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** The table of segments. */
public final class SegmentCatalog {
  private static final String COLUMNS =
      "id, first_time, last_time, sample_rows, stack_base, raw_bytes, minute_bytes, hour_bytes";

  private SegmentCatalog() {}

  /** All segments, the oldest first. */
  public static List<StoreSegment> read(ReadTransaction reader) throws SQLException {
    List<StoreSegment> segments = new ArrayList<>();
    reader.query(
        "SELECT " + COLUMNS + " FROM segments ORDER BY last_time, id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            segments.add(
                new StoreSegment(
                    chunk.vector(0).getInt(row),
                    chunk.vector(1).getLong(row),
                    chunk.vector(2).getLong(row),
                    chunk.vector(3).getLong(row),
                    chunk.vector(4).getInt(row),
                    chunk.vector(5).getLong(row),
                    chunk.vector(6).getLong(row),
                    chunk.vector(7).getLong(row)));
          }
        });
    return segments;
  }

  public static void insert(DuckDBConnection connection, StoreSegment segment) throws SQLException {
    Database.execute(
        connection,
        "INSERT INTO segments VALUES (%d, %d, %d, %d, %d, %d, %d, %d)"
            .formatted(
                segment.id(),
                segment.firstMicros(),
                segment.lastMicros(),
                segment.rows(),
                segment.stackBase(),
                segment.rawBytes(),
                segment.minuteBytes(),
                segment.hourBytes()));
  }

  /**
   * Records that a tier's files are gone, and deletes a segment without files. Rollups go with the
   * sums from which they were made, as they would otherwise outlive the stacks they refer to.
   */
  public static void dropped(DuckDBConnection connection, StoreSegment segment, Tier tier)
      throws SQLException {
    StoreSegment left = segment.without(tier);
    if (tier == Tier.HOURS) {
      RollupCatalog.deleteThoseOf(connection, segment.id());
    }
    if (left.isEmpty()) {
      Database.execute(connection, "DELETE FROM segments WHERE id = " + segment.id());
      Database.execute(connection, "DELETE FROM segment_series WHERE segment = " + segment.id());
      return;
    }
    Database.execute(
        connection,
        "UPDATE segments SET %s = 0 WHERE id = %d".formatted(tier.column(), segment.id()));
  }
}
