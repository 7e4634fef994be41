package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.DatabaseFailure;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.segment.RollupCatalog;
import dev.plumb.store.segment.SegmentCatalog;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.segment.SegmentRollup;
import dev.plumb.store.segment.StoreSegment;
import dev.plumb.store.segment.Tier;
import dev.plumb.store.write.WriteBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds segments whose files cannot be read any more, and sets them aside. */
public final class DamagedFiles {
  private final Database database;
  private final WriteBuffer buffer;
  private final SegmentFolder folder;

  public DamagedFiles(Database database, WriteBuffer buffer, SegmentFolder folder) {
    this.database = database;
    this.buffer = buffer;
    this.folder = folder;
  }

  /** Reads all of every file; says what was found. */
  public List<String> setAside() throws SQLException, IOException {
    List<StoreSegment> segments;
    List<SegmentRollup> rollups;
    try (ReadTransaction reader = new ReadTransaction(database)) {
      segments = SegmentCatalog.read(reader);
      rollups = RollupCatalog.read(reader);
    }
    List<String> notices = new ArrayList<>();
    for (SegmentRollup rollup : rollups) {
      if (!areReadable(folder.files(rollup))) {
        notices.add(setAside(rollup));
      }
    }
    for (StoreSegment segment : segments) {
      StoreSegment left = segment;
      for (Tier tier : Tier.values()) {
        if (segment.has(tier) && !areReadable(folder.files(tier, segment.id()))) {
          notices.add(setAside(left, tier));
          left = left.without(tier);
        }
      }
    }
    return notices;
  }

  private String setAside(StoreSegment segment, Tier tier) throws SQLException, IOException {
    buffer.change(
        connection -> {
          SegmentCatalog.dropped(connection, segment, tier);
          return true;
        },
        Optional.empty());
    return said(folder.files(tier, segment.id()));
  }

  private String setAside(SegmentRollup rollup) throws SQLException, IOException {
    buffer.change(
        connection -> {
          RollupCatalog.delete(connection, rollup);
          return true;
        },
        Optional.empty());
    return said(folder.files(rollup));
  }

  private static String said(List<Path> files) throws IOException {
    return "files of a segment are damaged; set aside: " + SegmentFolder.setAside(files);
  }

  private boolean areReadable(List<Path> files) throws SQLException {
    for (Path path : files) {
      String file = SqlText.quoted(path.toString());
      try (ReadTransaction reader = new ReadTransaction(database)) {
        reader.query("SELECT max(hash(r)) FROM read_parquet(" + file + ") r", chunk -> {});
      } catch (SQLException e) {
        if (!DatabaseFailure.isMemory(e)) {
          return false;
        }
      }
    }
    return true;
  }
}
