package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.Layout;
import dev.plumb.store.database.Reader;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.segment.Bundle;
import dev.plumb.store.segment.Bundles;
import dev.plumb.store.segment.Segment;
import dev.plumb.store.segment.SegmentFile;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.segment.Segments;
import dev.plumb.store.segment.Tier;
import dev.plumb.store.write.Contents;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/** Makes bundles of segments that no other will join. */
final class Bundling {
  private final Database database;
  private final Contents contents;
  private final SegmentFolder folder;

  Bundling(Database database, Contents contents, SegmentFolder folder) {
    this.database = database;
    this.contents = contents;
    this.folder = folder;
  }

  /** Makes those that can be made and are not there yet. */
  void run() throws SQLException, IOException {
    List<Segment> segments;
    List<Bundle> bundles;
    try (Reader reader = new Reader(database)) {
      segments = Segments.read(reader);
      bundles = new ArrayList<>(Bundles.read(reader));
    }
    int end = contents.allTables().getFirst();
    for (int level = 1; level <= Bundle.LEVELS; level++) {
      for (int number : due(level, end, segments, bundles)) {
        bundles.add(make(level, number, of(level, number, segments), bundles));
      }
    }
  }

  private static List<Segment> of(int level, int number, List<Segment> segments) {
    return segments.stream()
        .filter(segment -> Bundle.numberOf(level, segment.id()) == number)
        .toList();
  }

  /**
   * @param end the first table that is no segment yet
   */
  private static List<Integer> due(
      int level, int end, List<Segment> segments, List<Bundle> bundles) {
    List<Integer> due = new ArrayList<>();
    for (int number :
        segments.stream()
            .map(segment -> Bundle.numberOf(level, segment.id()))
            .distinct()
            .sorted()
            .toList()) {
      List<Segment> some = of(level, number, segments);
      boolean known = bundles.stream().anyMatch(b -> b.level() == level && b.number() == number);
      // Segments count from 1. Where one is gone, others will follow: it is not worth the work.
      boolean whole =
          some.size() == Bundle.segments(level) - (number == 0 ? 1 : 0)
              && some.stream().allMatch(s -> s.has(Tier.HOURS) && s.has(Tier.MINUTES));
      if (!known && whole && (number + 1) * Bundle.segments(level) <= end) {
        due.add(number);
      }
    }
    return due;
  }

  private Bundle make(int level, int number, List<Segment> segments, List<Bundle> bundles)
      throws SQLException, IOException {
    DuckDBConnection connection = database.borrow();
    boolean fine = false;
    try {
      connection.setAutoCommit(true);
      long bytes = 0;
      for (Bundle.File kind : Bundle.File.values()) {
        Path unfinished = folder.unfinished(kind, level, number);
        database.writeParquet(
            connection,
            kind.select(sources(kind, level, segments, bundles)),
            unfinished,
            Layout.UNSORTED);
        bytes += SegmentFolder.finish(unfinished, folder.file(kind, level, number));
      }
      folder.force();
      Bundle bundle = Bundle.of(level, number, segments, bytes);
      contents.change(
          c -> {
            Bundles.insert(c, bundle);
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
      Bundle.File kind, int level, List<Segment> segments, List<Bundle> bundles) {
    List<Path> files = new ArrayList<>();
    for (Segment segment : segments) {
      Optional<Bundle> below =
          bundles.stream().filter(b -> b.level() == level - 1 && b.holds(segment.id())).findAny();
      Path file =
          below
              .map(bundle -> folder.file(kind, bundle.level(), bundle.number()))
              .orElseGet(
                  () ->
                      folder.file(
                          kind == Bundle.File.SUMS ? SegmentFile.HOUR : SegmentFile.SECOND,
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
