package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.Failure;
import dev.plumb.store.database.Reader;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.segment.Bundle;
import dev.plumb.store.segment.Bundles;
import dev.plumb.store.segment.Segment;
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

/** Finds segments whose files cannot be read any more, and sets them aside. */
public final class Damage {
  private final Database database;
  private final Contents contents;
  private final SegmentFolder folder;

  public Damage(Database database, Contents contents, SegmentFolder folder) {
    this.database = database;
    this.contents = contents;
    this.folder = folder;
  }

  /** Reads all of every file; says what was found. */
  public List<String> setAside() throws SQLException, IOException {
    List<Segment> segments;
    List<Bundle> bundles;
    try (Reader reader = new Reader(database)) {
      segments = Segments.read(reader);
      bundles = Bundles.read(reader);
    }
    List<String> notices = new ArrayList<>();
    for (Bundle bundle : bundles) {
      if (!areReadable(folder.files(bundle))) {
        notices.add(setAside(bundle));
      }
    }
    for (Segment segment : segments) {
      Segment left = segment;
      for (Tier tier : Tier.values()) {
        if (segment.has(tier) && !areReadable(folder.files(tier, segment.id()))) {
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
    return said(folder.files(tier, segment.id()));
  }

  private String setAside(Bundle bundle) throws SQLException, IOException {
    contents.change(
        connection -> {
          Bundles.delete(connection, bundle);
          return true;
        },
        Optional.empty());
    return said(folder.files(bundle));
  }

  private static String said(List<Path> files) throws IOException {
    return "files of a segment are damaged; set aside: " + SegmentFolder.setAside(files);
  }

  private boolean areReadable(List<Path> files) throws SQLException {
    for (Path path : files) {
      String file = SqlText.quoted(path.toString());
      try (Reader reader = new Reader(database)) {
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
