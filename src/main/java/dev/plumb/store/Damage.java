package dev.plumb.store;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds segments whose files cannot be read any more, and sets them aside. */
final class Damage {
  private final Database database;
  private final Contents contents;
  private final SegmentFolder folder;

  Damage(Database database, Contents contents, SegmentFolder folder) {
    this.database = database;
    this.contents = contents;
    this.folder = folder;
  }

  /** Reads all of every file; says what was found. */
  List<String> setAside() throws SQLException, IOException {
    List<Segment> segments;
    try (Reader reader = new Reader(database, Store.QUESTION_LIMIT.toNanos())) {
      segments = Segments.read(reader);
    }
    List<String> notices = new ArrayList<>();
    for (Segment segment : segments) {
      Segment left = segment;
      for (Tier tier : Tier.values()) {
        if (segment.has(tier) && !isReadable(segment, tier)) {
          notices.add(setAside(left, tier));
          left = left.without(tier);
        }
      }
    }
    return notices;
  }

  private String setAside(Segment segment, Tier tier) throws SQLException, IOException {
    contents.change(
        connection -> {
          Segments.dropped(connection, segment, tier);
          return true;
        },
        Optional.empty());
    return "files of a segment are damaged; set aside: " + folder.setAside(tier, segment.id());
  }

  private boolean isReadable(Segment segment, Tier tier) throws SQLException {
    for (SegmentFile kind : tier.files()) {
      String file = Database.quoted(folder.file(kind, segment.id()).toString());
      try (Reader reader = new Reader(database, Store.QUESTION_LIMIT.toNanos())) {
        reader.query("SELECT max(hash(r)) FROM read_parquet(" + file + ") r", chunk -> {});
      } catch (SQLException e) {
        if (!Failure.isMemory(e)) {
          return false;
        }
      }
    }
    return true;
  }
}
