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

/** Makes bundles of segments that no other will join. */
final class RollupMaker {
  private final Database database;
  private final WriteBuffer contents;
  private final SegmentFolder folder;

  RollupMaker(Database database, WriteBuffer contents, SegmentFolder folder) {
    this.database = database;
    this.contents = contents;
    this.folder = folder;
  }

  /** Makes those that can be made and are not there yet. */
  void run() throws SQLException, IOException {
    List<StoreSegment> segments;
    List<SegmentRollup> bundles;
    try (ReadTransaction reader = new ReadTransaction(database)) {
      segments = SegmentCatalog.read(reader);
      bundles = new ArrayList<>(RollupCatalog.read(reader));
    }
    int end = contents.allTables().getFirst();
    for (int level = 1; level <= SegmentRollup.LEVELS; level++) {
      for (int number : due(level, end, segments, bundles)) {
        bundles.add(make(level, number, of(level, number, segments), bundles));
      }
    }
  }

  private static List<StoreSegment> of(int level, int number, List<StoreSegment> segments) {
    return segments.stream()
        .filter(segment -> SegmentRollup.numberOf(level, segment.id()) == number)
        .toList();
  }

  /**
   * @param end the first table that is no segment yet
   */
  private static List<Integer> due(
      int level, int end, List<StoreSegment> segments, List<SegmentRollup> bundles) {
    List<Integer> due = new ArrayList<>();
    for (int number :
        segments.stream()
            .map(segment -> SegmentRollup.numberOf(level, segment.id()))
            .distinct()
            .sorted()
            .toList()) {
      List<StoreSegment> some = of(level, number, segments);
      boolean known = bundles.stream().anyMatch(b -> b.level() == level && b.number() == number);
      // Segments count from 1. Where one is gone, others will follow: it is not worth the work.
      boolean whole =
          some.size() == SegmentRollup.segments(level) - (number == 0 ? 1 : 0)
              && some.stream().allMatch(s -> s.has(Tier.HOURS) && s.has(Tier.MINUTES));
      if (!known && whole && (number + 1) * SegmentRollup.segments(level) <= end) {
        due.add(number);
      }
    }
    return due;
  }

  private SegmentRollup make(int level, int number, List<StoreSegment> segments, List<SegmentRollup> bundles)
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
            kind.select(sources(kind, level, segments, bundles)),
            unfinished,
            ParquetLayout.UNSORTED);
        bytes += SegmentFolder.finish(unfinished, folder.file(kind, level, number));
      }
      folder.force();
      SegmentRollup bundle = SegmentRollup.of(level, number, segments, bytes);
      contents.change(
          c -> {
            RollupCatalog.insert(c, bundle);
            return true;
          },
          Optional.empty());
      fine = true;
      return bundle;
    } finally {
      database.giveBack(connection, fine);
    }
  }

  /** Bundles of the level below where there are, else the segments' own sums. */
  private String sources(
      SegmentRollup.File kind, int level, List<StoreSegment> segments, List<SegmentRollup> bundles) {
    List<Path> files = new ArrayList<>();
    for (StoreSegment segment : segments) {
      Optional<SegmentRollup> below =
          bundles.stream().filter(b -> b.level() == level - 1 && b.holds(segment.id())).findAny();
      Path file =
          below
              .map(bundle -> folder.file(kind, bundle.level(), bundle.number()))
              .orElseGet(
                  () ->
                      folder.file(
                          kind == SegmentRollup.File.SUMS ? SegmentFile.HOUR : SegmentFile.SECOND,
                          segment.id()));
      if (!files.contains(file)) {
        files.add(file);
      }
    }
    // The columns that both kinds of files have come by name.
    return files.stream()
        .map(file -> SqlText.quoted(file.toString()))
        .collect(Collectors.joining(",", "read_parquet([", "], union_by_name = true)"));
  }
}
