package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.StoreLimits;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.segment.DeferredDeletions;
import dev.plumb.store.segment.RollupCatalog;
import dev.plumb.store.segment.SegmentCatalog;
import dev.plumb.store.segment.SegmentFile;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.segment.SegmentNames;
import dev.plumb.store.segment.SegmentRollup;
import dev.plumb.store.segment.StoreSegment;
import dev.plumb.store.segment.Tier;
import dev.plumb.store.write.WriteBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/** Makes segments from full tables and deletes the oldest data when the disk budget is used up. */
public final class DiskUpkeep implements UpkeepThreads.Work {
  /** The part of the budget to fill: what is written between two runs must fit, too. */
  private static final double FULL = 0.9;

  private final Database database;
  private final WriteBuffer buffer;
  private final SegmentFolder folder;
  private final DeferredDeletions deletions;
  private final StoreLimits limits;
  private final Optional<Ageing> ageing;
  private final RollupMaker rollupMaker;
  private boolean begun;

  public DiskUpkeep(
      Database database,
      WriteBuffer buffer,
      SegmentFolder folder,
      DeferredDeletions deletions,
      StoreLimits limits,
      Optional<Ageing> ageing) {
    this.database = database;
    this.buffer = buffer;
    this.folder = folder;
    this.deletions = deletions;
    this.limits = limits;
    this.ageing = ageing;
    this.rollupMaker = new RollupMaker(database, buffer, folder);
  }

  @Override
  public void run() throws SQLException, IOException {
    makeSegments();
    enforce();
  }

  private void makeSegments() throws SQLException, IOException {
    List<Integer> full = buffer.fullTables();
    for (int table : full) {
      makeSegment(table);
      enforce();
    }
    if (!full.isEmpty() || !begun) {
      rollupMaker.run();
      begun = true;
    }
  }

  private void makeSegment(int table) throws SQLException, IOException {
    String name = StoreSchema.hotName(table);
    DuckDBConnection connection = database.borrow();
    boolean fine = false;
    try {
      // Each statement commits: a transaction left open would fix what the next reader sees.
      connection.setAutoCommit(true);
      long[] facts = facts(connection, table);
      if (facts[2] == 0) {
        buffer.change(c -> dropTable(c, table), Optional.of(table));
        fine = true;
        return;
      }
      // Sorting needs memory: garbage would occupy some, and rows that are only in the log cannot
      // be
      // evicted.
      System.gc();
      buffer.checkpoint();
      Map<Tier, Long> bytes = new EnumMap<>(Tier.class);
      for (SegmentFile kind : SegmentFile.values()) {
        Path minutes = folder.unfinished(SegmentFile.MINUTE, table);
        database.writeParquet(
            connection, kind.select(name, minutes), folder.unfinished(kind, table), kind.layout());
      }
      for (Tier tier : Tier.values()) {
        long sum = 0;
        for (SegmentFile kind : tier.files()) {
          sum += folder.finish(kind, table);
        }
        bytes.put(tier, sum);
      }
      StoreSegment segment =
          new StoreSegment(
              table,
              facts[0],
              facts[1],
              facts[2],
              (int) facts[3],
              bytes.get(Tier.SAMPLES),
              bytes.get(Tier.MINUTES),
              bytes.get(Tier.HOURS));
      SegmentNames.write(database, connection, segment, folder.names().unfinished(table));
      folder.names().finish(table);
      folder.force();
      buffer.change(
          c -> {
            SegmentCatalog.insert(c, segment);
            Database.execute(
                c,
                "INSERT INTO segment_series SELECT DISTINCT %d, series FROM %s"
                    .formatted(table, name));
            return dropTable(c, table);
          },
          Optional.of(table));
      fine = true;
    } finally {
      database.giveBack(connection, fine);
    }
  }

  static boolean dropTable(DuckDBConnection connection, int table) throws SQLException {
    Database.execute(connection, "DELETE FROM hot_tables WHERE id = " + table);
    Database.execute(connection, "DROP TABLE " + StoreSchema.hotName(table));
    return true;
  }

  /** First and last time, number of rows, dictionary. */
  private static long[] facts(DuckDBConnection connection, int table) throws SQLException {
    String name = StoreSchema.hotName(table);
    return new long[] {
      Database.number(connection, "SELECT min(time) FROM " + name),
      Database.number(connection, "SELECT max(time) FROM " + name),
      Database.number(connection, "SELECT count(*) FROM " + name),
      Database.number(connection, "SELECT stack_base FROM hot_tables WHERE id = " + table)
    };
  }

  /** Deletes what is too old, then the oldest data until the rest fits the budget. */
  private void enforce() throws SQLException, IOException {
    deletions.run();
    List<StoreSegment> segments;
    List<SegmentRollup> rollups;
    try (ReadTransaction reader = new ReadTransaction(database)) {
      segments = new ArrayList<>(SegmentCatalog.read(reader));
      rollups = new ArrayList<>(RollupCatalog.read(reader));
    }
    boolean dropped = dropOld(segments, rollups);
    long over = folder.bytes() - deletions.dueBytes() - (long) (limits.diskBytes() * FULL);
    while (over > 0) {
      Optional<Tier> tier = fullest(segments, rollups);
      if (tier.isEmpty()) {
        break;
      }
      over -= dropOldest(segments, rollups, tier.orElseThrow());
      dropped = true;
    }
    if (dropped) {
      buffer.prune();
      deletions.run();
      buffer.checkpoint();
    }
  }

  private boolean dropOld(List<StoreSegment> segments, List<SegmentRollup> rollups)
      throws SQLException {
    if (ageing.isEmpty()) {
      return false;
    }
    Ageing age = ageing.orElseThrow();
    if (age.isSaveDue()) {
      buffer.change(age::save, Optional.empty());
    }
    long oldest = age.oldestMicros();
    boolean dropped = false;
    for (StoreSegment segment : List.copyOf(segments)) {
      if (segment.lastMicros() < oldest) {
        StoreSegment left = segment;
        for (Tier tier : Tier.values()) {
          drop(left, tier, rollups);
          left = left.without(tier);
        }
        segments.remove(segment);
        dropped = true;
      }
    }
    return dropped;
  }

  /** The tier that is furthest above its share. */
  private static Optional<Tier> fullest(List<StoreSegment> segments, List<SegmentRollup> rollups) {
    Optional<Tier> fullest = Optional.empty();
    double most = 0;
    for (Tier tier : Tier.values()) {
      double bytes = 0;
      for (StoreSegment segment : segments) {
        bytes += segment.bytes(tier);
      }
      if (tier == Tier.HOURS && bytes > 0) {
        for (SegmentRollup rollup : rollups) {
          bytes += rollup.bytes();
        }
      }
      if (bytes / tier.share() > most) {
        most = bytes / tier.share();
        fullest = Optional.of(tier);
      }
    }
    return fullest;
  }

  /** Returns how many bytes that frees. */
  private long dropOldest(List<StoreSegment> segments, List<SegmentRollup> rollups, Tier tier)
      throws SQLException {
    for (int i = 0; i < segments.size(); i++) {
      StoreSegment segment = segments.get(i);
      if (segment.bytes(tier) > 0) {
        segments.set(i, segment.without(tier));
        return drop(segment, tier, rollups);
      }
    }
    throw new IllegalStateException("no segment has " + tier);
  }

  /** A file that is missed here is deleted when the store is next opened. */
  private List<Path> namesOf(StoreSegment segment) {
    try {
      return folder.names().of(segment.id());
    } catch (IOException e) {
      return List.of();
    }
  }

  private long drop(StoreSegment segment, Tier tier, List<SegmentRollup> rollups)
      throws SQLException {
    if (segment.bytes(tier) == 0) {
      return 0;
    }
    buffer.change(
        c -> {
          SegmentCatalog.dropped(c, segment, tier);
          return true;
        },
        Optional.empty());
    long freed = segment.bytes(tier);
    deletions.add(folder.files(tier, segment.id()), freed);
    if (segment.without(tier).isEmpty()) {
      deletions.add(namesOf(segment), 0);
    }
    for (SegmentRollup rollup : List.copyOf(rollups)) {
      if (tier == Tier.HOURS && rollup.holds(segment.id())) {
        rollups.remove(rollup);
        deletions.add(folder.files(rollup), rollup.bytes());
        freed += rollup.bytes();
      }
    }
    return freed;
  }
}
