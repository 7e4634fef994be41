package dev.plumb.store.query;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.Heatmap;
import dev.plumb.store.Selection;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.StackDictionaries;
import dev.plumb.store.dictionary.StackTranslator;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBReadableVector;

/** Sums per part of a second (heatmaps) and per stack (merged profiles). */
public final class SumQueries {
  private static final long SECOND_MICROS = 1_000_000;
  private static final ValueType SAMPLES = new ValueType("samples", "count");

  private final StoreSnapshot snapshot;
  private final SelectorResolver resolver;
  private final StackDictionaries stacks;

  public SumQueries(StoreSnapshot snapshot, SelectorResolver resolver, StackDictionaries stacks) {
    this.snapshot = snapshot;
    this.resolver = resolver;
    this.stacks = stacks;
  }

  public Heatmap heatmap(Selection selection, int columns, int rows) throws SQLException {
    if (columns < 1 || rows < 1 || (long) columns * rows > 4_000_000) {
      throw new IllegalArgumentException("a heatmap has 1 to 4 000 000 cells");
    }
    TimeRange range = snapshot.within(selection.range());
    long from = Math.floorDiv(StoreSnapshot.micros(range.fromNanos()), SECOND_MICROS);
    long to = -Math.floorDiv(-StoreSnapshot.micros(range.toNanos()), SECOND_MICROS);
    long seconds = Math.max(1, to - from);
    long perColumn = -Math.floorDiv(-seconds, (long) columns);
    int used = (int) -Math.floorDiv(-seconds, perColumn);
    long[] values = new long[used * rows];
    ResolvedQuery query = resolver.resolve(selection.type(), selection.selector());
    List<RowSource> sources = snapshot.samples(range);
    if (!query.isEmpty() && !sources.isEmpty()) {
      String sql =
          "SELECT cell, %s FROM (SELECT v, CAST((time // 1000000 - %d) // %d AS INTEGER) * %d"
                  .formatted(SqlText.sum("v"), from, perColumn, rows)
              + " + CAST((time %% 1000000) * %d // 1000000 AS INTEGER) AS cell FROM %s) GROUP BY cell"
                  .formatted(
                      rows, RowSql.of(query, sources, "time, ", RowSql.slice(selection.slice())));
      snapshot
          .reader()
          .query(
              sql,
              chunk -> {
                for (long row = 0; row < chunk.rowCount(); row++) {
                  values[chunk.vector(0).getInt(row)] += chunk.vector(1).getLong(row);
                }
              });
    }
    return new Heatmap(from * SECOND_MICROS * 1000, Math.toIntExact(perColumn), used, rows, values);
  }

  /**
   * What a merged profile contains.
   *
   * @param lines whether source lines are distinguished, not only functions
   * @param counts whether a first type counts samples, if each stands for a time
   */
  public record Detail(boolean lines, boolean counts) {}

  public Profile merged(Selection selection, Detail detail) throws SQLException {
    ResolvedQuery query = resolver.resolve(selection.type(), selection.selector());
    boolean single = query.needsSamples() || !selection.slice().isWhole();
    List<RowSource> sources = snapshot.sums(selection.range(), single);
    Measure measure =
        resolver.measures().stream()
            .filter(m -> SeriesTable.measures(m, selection.type()))
            .findFirst()
            .orElse(new Measure(selection.type().name(), selection.type(), Optional.empty(), 0));
    ValueType type = new ValueType(selection.type().sampleType(), selection.type().sampleUnit());
    ValueType period = new ValueType(selection.type().periodType(), selection.type().periodUnit());
    boolean counts = detail.counts() && countsSamples(selection.type());
    List<ValueType> types = counts ? List.of(SAMPLES, type) : List.of(type);
    Profile.Builder builder =
        new Profile.Builder(
            measure.mode(),
            selection.type().name(),
            types,
            types.size() - 1,
            period,
            measure.period());
    Merging merging = new Merging(query.needsSamples(), detail.lines(), counts);
    if (!query.isEmpty() && !sources.isEmpty()) {
      merging.run(query, sources, selection);
    }
    return merging.rows.build(builder);
  }

  /**
   * Whether the rows of a type count samples that each stand for a time. Other rows count events or
   * objects, which do not say how many samples are behind a value.
   */
  private boolean countsSamples(ProfileType type) {
    List<Measure> measures =
        resolver.measures().stream().filter(m -> m.type().equals(type)).toList();
    return type.sampleUnit().equals("nanoseconds")
        && type.periodUnit().equals(type.sampleUnit())
        && measures.stream().anyMatch(m -> m.period() > 0)
        && measures.stream()
            .flatMap(m -> m.countType().stream())
            .allMatch(count -> count.sampleType().equals(SAMPLES.name()));
  }

  /** Merges rows of the store into those of a profile. */
  private final class Merging {
    private static final String GROUPED = "grouped_rows";

    private final boolean pids;
    private final boolean lines;
    private final boolean counts;
    private final String by;
    private final Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    private final Map<Integer, Integer> places = new HashMap<>();
    private final MergedRows rows;
    private long count;

    Merging(boolean pids, boolean lines, boolean counts) {
      this.pids = pids;
      this.lines = lines;
      this.counts = counts;
      this.by = pids ? "series, stack, pid, tid, start, thread" : "series, stack";
      // The other half is for one dictionary, and for removing small stacks.
      this.rows = new MergedRows(lines, counts, HeapAllowance.left() / 2);
    }

    void run(ResolvedQuery query, List<RowSource> sources, Selection selection)
        throws SQLException {
      ReadTransaction reader = snapshot.reader();
      List<StackDictionaries.Found> parts =
          stacks.find(reader, snapshot.dictionaries(selection.range()));
      String sql =
          "SELECT %s, %s AS v%s FROM %s GROUP BY %s"
              .formatted(
                  by,
                  SqlText.sum("v"),
                  counts ? ", " + SqlText.sum("n") + " AS n" : "",
                  RowSql.of(query, sources, by + ", ", RowSql.slice(selection.slice())),
                  by);
      if (parts.size() == 1) {
        add(parts.getFirst(), sql);
        return;
      }
      // Read once, then one dictionary at a time; the end of the query drops the table.
      reader.execute("CREATE OR REPLACE TEMP TABLE " + GROUPED + " AS " + sql);
      for (StackDictionaries.Found part : parts) {
        add(
            part,
            "SELECT * FROM %s WHERE stack >= %d AND stack < %d"
                .formatted(GROUPED, part.base()[0], part.next()[0]));
      }
      if (count != reader.number("SELECT count(*) FROM " + GROUPED)) {
        throw new StoreException("the store is damaged: it has samples without stacks");
      }
    }

    private void add(StackDictionaries.Found found, String sql) throws SQLException {
      try (StackTranslator part = stacks.open(snapshot.reader(), found, rows.stacks())) {
        snapshot
            .reader()
            .query(
                sql,
                chunk -> {
                  take(part, chunk);
                  rows.keepWithin(part::renumber);
                });
      }
    }

    private void take(StackTranslator part, DuckDBDataChunkReader chunk) {
      DuckDBReadableVector series = chunk.vector(0);
      DuckDBReadableVector stack = chunk.vector(1);
      int sums = pids ? 6 : 2;
      DuckDBReadableVector sum = chunk.vector(sums);
      Optional<DuckDBReadableVector> samples =
          counts ? Optional.of(chunk.vector(sums + 1)) : Optional.empty();
      count += chunk.rowCount();
      for (long row = 0; row < chunk.rowCount(); row++) {
        SeriesTable.Entry entry = entries.get(series.getInt(row));
        if (entry == null) {
          continue; // dropped after the query began
        }
        int place =
            pids
                ? rows.place(thread(entry, chunk, row), labels(entry))
                : places.computeIfAbsent(
                    entry.id(), id -> rows.place(threadOf(entry.labels()), labels(entry)));
        long times = samples.isPresent() ? samples.get().getLong(row) : 0;
        rows.add(part.stack(stack.getInt(row), rows.stacks()), place, sum.getLong(row), times);
      }
    }

    /** A profile of functions has no labels. */
    private Labels labels(SeriesTable.Entry entry) {
      return lines ? ownOf(entry.labels()) : Labels.NONE;
    }
  }

  private static ThreadInfo thread(SeriesTable.Entry entry, DuckDBDataChunkReader chunk, long row) {
    return SampleQueries.thread(
        entry.labels(),
        chunk.vector(2).getInt(row),
        chunk.vector(3).getInt(row),
        chunk.vector(4).getLong(row),
        chunk.vector(5).getString(row));
  }

  /** A thread that stands for all of a series with one name. */
  static ThreadInfo threadOf(Labels labels) {
    return SampleQueries.thread(labels, 0, 0, 0, labels.values().getOrDefault("comm", ""));
  }

  /** Labels that a thread does not contain. */
  static Labels ownOf(Labels labels) {
    TreeMap<String, String> own = new TreeMap<>(labels.values());
    own.remove("comm");
    own.remove("cgroup");
    own.remove("container");
    return new Labels(own);
  }
}
