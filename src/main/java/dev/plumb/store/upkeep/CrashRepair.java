package dev.plumb.store.upkeep;

import dev.plumb.store.StoreException;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.segment.RollupCatalog;
import dev.plumb.store.segment.SegmentCatalog;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.segment.SegmentRollup;
import dev.plumb.store.segment.StoreSegment;
import dev.plumb.store.segment.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** Makes tables and files consistent after a crash. */
public final class CrashRepair {
  private final Database database;
  private final SegmentFolder folder;
  private final boolean keepStrangers;
  private final List<String> notices;

  /**
   * @param keepStrangers whether files that no table mentions may still be needed
   */
  public CrashRepair(
      Database database, SegmentFolder folder, boolean keepStrangers, List<String> notices) {
    this.database = database;
    this.folder = folder;
    this.keepStrangers = keepStrangers;
    this.notices = notices;
  }

  public void run() throws SQLException, IOException {
    makeTables(database);
    long version = Database.number(database.writer(), "SELECT version FROM meta");
    if (version > StoreSchema.VERSION) {
      throw new StoreException(
          "a newer Plumb wrote the store (its tables have version %d, this Plumb knows %d); use that Plumb, or another folder (--store)"
              .formatted(version, StoreSchema.VERSION));
    }
    if (version < StoreSchema.VERSION) {
      bringUpToDate();
    }
    List<StoreSegment> segments;
    List<SegmentRollup> rollups;
    try (ReadTransaction reader = new ReadTransaction(database)) {
      segments = SegmentCatalog.read(reader);
      rollups = RollupCatalog.read(reader);
    }
    for (Path file : folder.strangers(segments, rollups)) {
      // Rollups can be made again.
      if (keepStrangers && !file.getFileName().toString().matches(".*\\.new|(sums|steps)\\d.*")) {
        notices.add(
            "a file that no table mentions was set aside as " + SegmentFolder.setAside(file));
      } else {
        Files.delete(file);
      }
    }
    for (StoreSegment segment : segments) {
      StoreSegment left = segment;
      for (Tier tier : Tier.values()) {
        long bytes = segment.bytes(tier);
        if (bytes > 0 && !SegmentFolder.areWhole(folder.files(tier, segment.id()), bytes)) {
          left = setAside(left, tier);
        }
      }
    }
    for (SegmentRollup rollup : rollups) {
      if (!SegmentFolder.areWhole(folder.files(rollup), rollup.bytes())) {
        forget(rollup);
      }
    }
  }

  private void bringUpToDate() throws SQLException {
    database.transaction(
        connection -> {
          Database.execute(connection, StoreSchema.BUNDLES);
          Database.execute(connection, StoreSchema.AGE_CLOCK);
          Database.execute(connection, StoreSchema.SPOOL_MARKS);
          Database.execute(connection, "UPDATE meta SET version = " + StoreSchema.VERSION);
          return true;
        });
  }

  /** It can be made again of its segments. */
  private void forget(SegmentRollup rollup) throws SQLException, IOException {
    database.transaction(
        connection -> {
          RollupCatalog.delete(connection, rollup);
          return true;
        });
    for (Path file : folder.files(rollup)) {
      Files.deleteIfExists(file);
    }
  }

  private StoreSegment setAside(StoreSegment segment, Tier tier) throws SQLException, IOException {
    notices.add(
        "files of a segment are damaged or missing; set aside: "
            + SegmentFolder.setAside(folder.files(tier, segment.id())));
    database.transaction(
        connection -> {
          SegmentCatalog.dropped(connection, segment, tier);
          return true;
        });
    return segment.without(tier);
  }

  /** Makes the tables of a new database. */
  public static void makeTables(Database database) throws SQLException {
    DuckDBConnection writer = database.writer();
    String tables = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'meta'";
    if (Database.number(writer, tables) == 0) {
      database.transaction(
          connection -> {
            for (String sql : StoreSchema.TABLES) {
              Database.execute(connection, sql);
            }
            return true;
          });
    }
  }
}
