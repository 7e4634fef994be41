package dev.plumb.store.query;

import dev.plumb.store.TimeRange;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.segment.RollupCatalog;
import dev.plumb.store.segment.SegmentCatalog;
import dev.plumb.store.segment.SegmentFile;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.segment.SegmentRollup;
import dev.plumb.store.segment.StoreSegment;
import dev.plumb.store.segment.Tier;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The store's tables and files at the moment of a query, and which of them to read: the coarsest
 * that give an exact result. Where samples were dropped, the edges of a range are as exact as the
 * sums.
 */
public final class StoreSnapshot {
  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;

  private final ReadTransaction reader;
  private final SegmentFolder folder;
  private final List<Integer> tables = new ArrayList<>();
  private final List<Integer> tableBases = new ArrayList<>();
  private final List<StoreSegment> segments;
  private final List<SegmentRollup> rollups;

  public StoreSnapshot(ReadTransaction reader, SegmentFolder folder) throws SQLException {
    this.reader = reader;
    this.folder = folder;
    reader.query(
        "SELECT id, stack_base FROM hot_tables ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            tables.add(chunk.vector(0).getInt(row));
            tableBases.add(chunk.vector(1).getInt(row));
          }
        });
    this.segments = SegmentCatalog.read(reader);
    this.rollups = RollupCatalog.read(reader);
  }

  ReadTransaction reader() {
    return reader;
  }

  /** The bases of the dictionaries with the stacks of a range. */
  Set<Integer> dictionaries(TimeRange range) {
    Set<Integer> bases = new TreeSet<>(tableBases);
    new Choice(range).overlapping().forEach(segment -> bases.add(segment.stackBase()));
    return bases;
  }

  /** Sources of single samples. */
  List<RowSource> samples(TimeRange range) {
    Choice choice = new Choice(range);
    choice.addTables();
    for (StoreSegment segment : choice.overlapping()) {
      if (segment.has(Tier.SAMPLES)) {
        choice.add(SegmentFile.RAW, segment);
      }
    }
    return choice.sources();
  }

  /** Sources that add up to a range's sums per stack. */
  List<RowSource> sums(TimeRange range) {
    Choice choice = new Choice(range);
    choice.addTables();
    choice.addRollups(SegmentRollup.File.SUMS);
    for (StoreSegment segment : choice.leftOver()) {
      boolean hours = segment.has(Tier.HOURS);
      boolean minutes = segment.has(Tier.MINUTES);
      if (hours && choice.isExact(segment, HOUR)) {
        choice.add(SegmentFile.HOUR, segment);
      } else if (minutes && choice.isExact(segment, MINUTE)) {
        choice.add(SegmentFile.MINUTE, segment);
      } else if (segment.has(Tier.SAMPLES)) {
        choice.add(SegmentFile.RAW, segment);
      } else {
        choice.add(minutes ? SegmentFile.MINUTE : SegmentFile.HOUR, segment);
      }
    }
    return choice.sources();
  }

  /** Sources that add up to the sums of each step, without stacks. */
  List<RowSource> steps(TimeRange range, long stepNanos) {
    Choice choice = new Choice(range);
    choice.addTables();
    boolean seconds = micros(range.fromNanos()) % SECOND == 0 && stepNanos / 1000 % SECOND == 0;
    boolean wholeMinutes =
        micros(range.fromNanos()) % MINUTE == 0 && stepNanos / 1000 % MINUTE == 0;
    if (wholeMinutes) {
      choice.addRollups(SegmentRollup.File.STEPS);
    }
    for (StoreSegment segment : choice.leftOver()) {
      boolean minutes = segment.has(Tier.MINUTES);
      if (minutes && seconds && choice.isExact(segment, SECOND)) {
        choice.add(SegmentFile.SECOND, segment);
      } else if (segment.has(Tier.SAMPLES)) {
        choice.add(SegmentFile.RAW, segment);
      } else {
        choice.add(minutes ? SegmentFile.SECOND : SegmentFile.HOUR, segment);
      }
    }
    return choice.sources();
  }

  /** Sources of samples if they are needed, else of sums. */
  List<RowSource> sums(TimeRange range, boolean samples) {
    return samples ? samples(range) : sums(range);
  }

  /** Sources that say which series have rows. */
  List<RowSource> presence(TimeRange range, boolean byThread) {
    if (byThread) {
      return threads(range);
    }
    Choice choice = new Choice(range);
    choice.addTables();
    List<String> whole = new ArrayList<>();
    for (StoreSegment segment : choice.overlapping()) {
      if (segment.liesWithin(choice.from, choice.to)) {
        whole.add(Integer.toString(segment.id()));
      } else if (segment.has(Tier.MINUTES)) {
        choice.add(SegmentFile.SECOND, segment);
      } else {
        boolean samples = segment.has(Tier.SAMPLES);
        choice.add(samples ? SegmentFile.RAW : SegmentFile.HOUR, segment);
      }
    }
    List<RowSource> sources = new ArrayList<>(choice.sources());
    if (!whole.isEmpty()) {
      sources.add(
          new RowSource("segment_series", "segment IN (" + String.join(",", whole) + ")", false));
    }
    return sources;
  }

  /** Sums per thread of segments within the range, and samples of those that it cuts. */
  List<RowSource> threads(TimeRange range) {
    Choice choice = new Choice(range);
    choice.addTables();
    for (StoreSegment segment : choice.overlapping()) {
      if (segment.has(Tier.SAMPLES)) {
        boolean within = segment.liesWithin(choice.from, choice.to);
        choice.add(within ? SegmentFile.THREAD : SegmentFile.RAW, segment);
      }
    }
    return choice.sources();
  }

  /** All sums of a tier per stack, and samples where there are no sums yet. */
  List<RowSource> tier(Tier tier) {
    Choice choice = new Choice(TimeRange.ALL);
    choice.addTables();
    for (StoreSegment segment : segments) {
      if (segment.has(tier)) {
        choice.add(tier == Tier.HOURS ? SegmentFile.HOUR : SegmentFile.MINUTE, segment);
      }
    }
    return choice.sources();
  }

  /** Collects the sources for a range. */
  private final class Choice {
    private final long from;
    private final long to;
    private final TimeRange range;
    private final List<RowSource> tablesFirst = new ArrayList<>();
    private final List<List<StoreSegment>> files = new ArrayList<>();
    private final List<SegmentRollup> covered = new ArrayList<>();
    private final List<String> rollupFiles = new ArrayList<>();

    Choice(TimeRange range) {
      this.range = range;
      this.from = micros(range.fromNanos());
      this.to = micros(range.toNanos());
      for (int i = 0; i < SegmentFile.values().length; i++) {
        files.add(new ArrayList<>());
      }
    }

    void addTables() {
      for (int table : tables) {
        tablesFirst.add(new RowSource(StoreSchema.hotName(table), condition(range), false));
      }
    }

    List<StoreSegment> overlapping() {
      return segments.stream().filter(segment -> segment.overlaps(from, to)).toList();
    }

    /** Adds the largest rollups that lie within the range. */
    void addRollups(SegmentRollup.File kind) {
      for (SegmentRollup rollup : rollups) {
        // The largest level comes first; a rollup holds all of a smaller one or nothing of it.
        boolean known = covered.stream().anyMatch(larger -> larger.holds(rollup));
        if (!known && rollup.liesWithin(from, to)) {
          covered.add(rollup);
          Path file = folder.file(kind, rollup.level(), rollup.number());
          rollupFiles.add(SqlText.quoted(file.toString()));
        }
      }
    }

    /** Segments that no added rollup covers. */
    List<StoreSegment> leftOver() {
      return overlapping().stream()
          .filter(segment -> covered.stream().noneMatch(rollup -> rollup.holds(segment.id())))
          .toList();
    }

    boolean isExact(StoreSegment segment, long bucket) {
      return segment.isExact(from, to, bucket);
    }

    void add(SegmentFile kind, StoreSegment segment) {
      files.get(kind.ordinal()).add(segment);
    }

    List<RowSource> sources() {
      List<RowSource> all = new ArrayList<>(tablesFirst);
      if (!rollupFiles.isEmpty()) {
        String files = "read_parquet([" + String.join(",", rollupFiles) + "])";
        all.add(new RowSource(files, "true", false));
      }
      for (SegmentFile kind : SegmentFile.values()) {
        Predicate<StoreSegment> within = segment -> segment.liesWithin(from, to);
        add(all, kind, files.get(kind.ordinal()).stream().filter(within).toList(), "true");
        add(
            all,
            kind,
            files.get(kind.ordinal()).stream().filter(within.negate()).toList(),
            condition(range));
      }
      return all;
    }

    private void add(
        List<RowSource> all, SegmentFile kind, List<StoreSegment> some, String condition) {
      if (!some.isEmpty()) {
        String names =
            some.stream()
                .map(segment -> SqlText.quoted(folder.file(kind, segment.id()).toString()))
                .collect(Collectors.joining(","));
        all.add(
            new RowSource("read_parquet([" + names + "])", condition, kind == SegmentFile.THREAD));
      }
    }
  }

  /** From the oldest to the newest sample. */
  public Optional<TimeRange> span() throws SQLException {
    long[] span = {Long.MAX_VALUE, Long.MIN_VALUE};
    for (StoreSegment segment : segments) {
      span[0] = Math.min(span[0], segment.firstMicros());
      span[1] = Math.max(span[1], segment.lastMicros());
    }
    for (int table : tables) {
      reader.query(
          "SELECT min(time), max(time) FROM " + StoreSchema.hotName(table),
          chunk -> {
            if (chunk.rowCount() > 0 && !chunk.vector(0).isNull(0)) {
              span[0] = Math.min(span[0], chunk.vector(0).getLong(0));
              span[1] = Math.max(span[1], chunk.vector(1).getLong(0));
            }
          });
    }
    return span[0] > span[1]
        ? Optional.empty()
        : Optional.of(new TimeRange(span[0] * 1000, (span[1] + 1) * 1000));
  }

  /** The range; if it is {@link TimeRange#ALL}, the span of all samples. */
  TimeRange within(TimeRange range) throws SQLException {
    return range.equals(TimeRange.ALL) ? span().orElse(new TimeRange(0, 1_000_000_000)) : range;
  }

  static long micros(long nanos) {
    return -Math.floorDiv(-nanos, 1000L);
  }

  static String condition(TimeRange range) {
    return "time >= " + micros(range.fromNanos()) + " AND time < " + micros(range.toNanos());
  }
}
