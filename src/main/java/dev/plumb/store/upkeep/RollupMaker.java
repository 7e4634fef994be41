package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.ParquetLayout;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.segment.RollupCatalog;
import dev.plumb.store.segment.SegmentCatalog;
import dev.plumb.store.segment.SegmentFile;
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
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/** Makes rollups of segments once their group is complete. */
final class RollupMaker {
  private final Database database;
  private final WriteBuffer buffer;
  private final SegmentFolder folder;

  RollupMaker(Database database, WriteBuffer buffer, SegmentFolder folder) {
    this.database = database;
    this.buffer = buffer;
    this.folder = folder;
  }

  /** Makes the rollups that are possible and missing. */
  void run() throws SQLException, IOException {
    List<StoreSegment> segments;
    List<SegmentRollup> rollups;
    try (ReadTransaction reader = new ReadTransaction(database)) {
      segments = SegmentCatalog.read(reader);
      rollups = new ArrayList<>(RollupCatalog.read(reader));
    }
    int end = buffer.allTables().getFirst();
    for (int level = 1; level <= SegmentRollup.LEVELS; level++) {
      for (int number : due(level, end, segments, rollups)) {
        rollups.add(make(level, number, of(level, number, segments), rollups));
      }
    }
  }

  private static List<StoreSegment> of(int level, int number, List<StoreSegment> segments) {
    return segments.stream()
        .filter(segment -> SegmentRollup.numberOf(level, segment.id()) == number)
        .toList();
  }

  /**
   * @param end the first table that is not a segment yet
   */
  private static List<Integer> due(
      int level, int end, List<StoreSegment> segments, List<SegmentRollup> rollups) {
    List<Integer> due = new ArrayList<>();
    for (int number :
        segments.stream()
            .map(segment -> SegmentRollup.numberOf(level, segment.id()))
            .distinct()
            .sorted()
            .toList()) {
      List<StoreSegment> some = of(level, number, segments);
      boolean known = rollups.stream().anyMatch(b -> b.level() == level && b.number() == number);
      // Segments count from 1. Where one was dropped, others will follow: not worth the work.
      boolean whole =
          some.size() == SegmentRollup.segments(level) - (number == 0 ? 1 : 0)
              && some.stream().allMatch(s -> s.has(Tier.HOURS) && s.has(Tier.MINUTES));
      if (!known && whole && (number + 1) * SegmentRollup.segments(level) <= end) {
        due.add(number);
      }
    }
    return due;
  }

  private SegmentRollup make(
      int level, int number, List<StoreSegment> segments, List<SegmentRollup> rollups)
      throws SQLException, IOException {
    DuckDBConnection connection = database.borrow();
    boolean fine = false;
    try {
      connection.setAutoCommit(true);
      long bytes = 0;
      for (SegmentRollup.File kind : SegmentRollup.File.values()) {
        Path unfinished = folder.unfinished(kind, level, number);
        database.writeParquet(
            connection,
            kind.select(sources(kind, level, segments, rollups)),
            unfinished,
            ParquetLayout.UNSORTED);
        bytes += SegmentFolder.finish(unfinished, folder.file(kind, level, number));
      }
      folder.force();
      SegmentRollup rollup = SegmentRollup.of(level, number, segments, bytes);
      buffer.change(
          c -> {
            RollupCatalog.insert(c, rollup);
            return true;
          },
          Optional.empty());
      fine = true;
      return rollup;
    } finally {
      database.giveBack(connection, fine);
    }
  }

  /** Rollups of the level below where they exist, else the segments' own sums. */
  private String sources(
      SegmentRollup.File kind,
      int level,
      List<StoreSegment> segments,
      List<SegmentRollup> rollups) {
    List<Path> files = new ArrayList<>();
    for (StoreSegment segment : segments) {
      Optional<SegmentRollup> below =
          rollups.stream().filter(b -> b.level() == level - 1 && b.holds(segment.id())).findAny();
      Path file =
          below
              .map(rollup -> folder.file(kind, rollup.level(), rollup.number()))
              .orElseGet(
                  () ->
                      folder.file(
                          kind == SegmentRollup.File.SUMS ? SegmentFile.HOUR : SegmentFile.SECOND,
                          segment.id()));
      if (!files.contains(file)) {
        files.add(file);
      }
    }
    // By name: the two kinds of files have some columns in common.
    return files.stream()
        .map(file -> SqlText.quoted(file.toString()))
        .collect(Collectors.joining(",", "read_parquet([", "], union_by_name = true)"));
  }
}
