package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBReadableVector;

/** Sums: over time, over parts of seconds, and by stack. */
final class SumAnswers {
  private static final int MAX_STEPS = 200_000;

  /** Of all series: 64 MB. */
  private static final long MAX_SUMS = 8_000_000;

  private static final long SECOND_MICROS = 1_000_000;

  private final View view;
  private final Resolver resolver;
  private final Stacks stacks;

  SumAnswers(View view, Resolver resolver, Stacks stacks) {
    this.view = view;
    this.resolver = resolver;
    this.stacks = stacks;
  }

  List<Series> timeline(Selection selection, List<String> groupBy, long stepNanos, int limit)
      throws SQLException {
    TimeRange range = within(selection.range());
    long length = range.toNanos() - range.fromNanos();
    long stepMicros = Math.max(1, stepNanos / 1000);
    long steps = -Math.floorDiv(-length, stepMicros * 1000);
    if (stepNanos <= 0 || steps > MAX_STEPS) {
      throw new IllegalArgumentException(
          "%d steps are too many, %d is the most; ask for a longer step"
              .formatted(steps, MAX_STEPS));
    }
    Question question = resolver.question(selection.type(), selection.selector());
    List<String> ofSamples = groupBy.stream().filter(resolver::isOfSamples).toList();
    boolean single =
        question.needsSamples() || !ofSamples.isEmpty() || !selection.slice().isWhole();
    List<Source> sources = single ? view.samples(range) : view.steps(range, stepNanos);
    Map<Labels, double[]> sums = new HashMap<>();
    if (!question.isEmpty() && !sources.isEmpty()) {
      String columns = "time, series, " + (ofSamples.isEmpty() ? "" : Rows.LABEL_COLUMNS);
      String rows = Rows.of(question, sources, columns, Rows.slice(selection.slice()));
      String by = "series, step" + Rows.labelNames(ofSamples.size());
      String sql =
          "SELECT %s, %s FROM (SELECT *, CAST((time - %d) // %d AS INTEGER) AS step FROM %s) GROUP BY %s"
              .formatted(
                  by,
                  Rows.sum("v"),
                  View.micros(range.fromNanos()),
                  stepMicros,
                  ofSamples.isEmpty() ? rows : Rows.labelled(rows, ofSamples),
                  by);
      collect(sql, selection, groupBy, ofSamples, (int) steps, sums);
    }
    return largest(sums, limit, (int) steps);
  }

  private void collect(
      String sql,
      Selection selection,
      List<String> groupBy,
      List<String> ofSamples,
      int steps,
      Map<Labels, double[]> sums)
      throws SQLException {
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    Map<Integer, double[]> bySeries = new HashMap<>();
    view.reader()
        .query(
            sql,
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                int id = chunk.vector(0).getInt(row);
                int step = chunk.vector(1).getInt(row);
                long sum = chunk.vector(2L + ofSamples.size()).getLong(row);
                double[] values = ofSamples.isEmpty() ? bySeries.get(id) : null;
                if (values == null) {
                  SeriesTable.Entry entry = entries.get(id);
                  Labels labels = entry == null ? Labels.NONE : entry.labels();
                  for (int i = 0; i < ofSamples.size(); i++) {
                    String value = chunk.vector(2L + i).getString(row);
                    labels = value.isEmpty() ? labels : labels.with(ofSamples.get(i), value);
                  }
                  Labels group =
                      groupBy.isEmpty()
                          ? Labels.NONE
                          : LabelAnswers.cut(labels, selection.type(), groupBy);
                  values = sums.computeIfAbsent(group, g -> new double[steps]);
                  if ((long) sums.size() * steps > MAX_SUMS) {
                    throw new StoreException(
                        StoreException.Reason.TOO_MUCH,
                        "these are too many series; ask for a longer step or for fewer labels");
                  }
                  bySeries.put(id, values);
                }
                values[step] += sum;
              }
            });
  }

  private static List<Series> largest(Map<Labels, double[]> sums, int limit, int steps) {
    List<Series> all = new ArrayList<>();
    sums.forEach((labels, values) -> all.add(new Series(labels, values)));
    all.sort(
        Comparator.comparingDouble(Series::total)
            .reversed()
            .thenComparing(series -> series.labels().values().toString()));
    if (limit <= 0 || all.size() <= limit) {
      return all;
    }
    double[] rest = new double[steps];
    for (Series series : all.subList(limit, all.size())) {
      for (int i = 0; i < rest.length; i++) {
        rest[i] += series.values()[i];
      }
    }
    List<Series> cut = new ArrayList<>(all.subList(0, limit));
    cut.add(new Series(Labels.NONE, rest));
    return cut;
  }

  Heatmap heatmap(Selection selection, int columns, int rows) throws SQLException {
    if (columns < 1 || rows < 1 || (long) columns * rows > 4_000_000) {
      throw new IllegalArgumentException("a heatmap has 1 to 4 000 000 cells");
    }
    TimeRange range = within(selection.range());
    long from = Math.floorDiv(View.micros(range.fromNanos()), SECOND_MICROS);
    long to = -Math.floorDiv(-View.micros(range.toNanos()), SECOND_MICROS);
    long seconds = Math.max(1, to - from);
    long perColumn = -Math.floorDiv(-seconds, (long) columns);
    int used = (int) -Math.floorDiv(-seconds, perColumn);
    long[] values = new long[used * rows];
    Question question = resolver.question(selection.type(), selection.selector());
    List<Source> sources = view.samples(range);
    if (!question.isEmpty() && !sources.isEmpty()) {
      String sql =
          "SELECT cell, %s FROM (SELECT v, CAST((time // 1000000 - %d) // %d AS INTEGER) * %d"
                  .formatted(Rows.sum("v"), from, perColumn, rows)
              + " + CAST((time %% 1000000) * %d // 1000000 AS INTEGER) AS cell FROM %s) GROUP BY cell"
                  .formatted(
                      rows, Rows.of(question, sources, "time, ", Rows.slice(selection.slice())));
      view.reader()
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

  /** The part of a range that there is anything of. */
  private TimeRange within(TimeRange range) throws SQLException {
    if (!range.equals(TimeRange.ALL)) {
      return range;
    }
    return view.span().orElse(new TimeRange(0, 1_000_000_000));
  }

  /**
   * @param lines whether lines of source are told apart, not only functions
   */
  Profile merged(Selection selection, boolean lines) throws SQLException {
    Question question = resolver.question(selection.type(), selection.selector());
    boolean single = question.needsSamples() || !selection.slice().isWhole();
    List<Source> sources = view.sums(selection.range(), single);
    Measure measure =
        resolver.measures().stream()
            .filter(m -> SeriesTable.measures(m, selection.type()))
            .findFirst()
            .orElse(new Measure(selection.type().name(), selection.type(), Optional.empty(), 0));
    ValueType type = new ValueType(selection.type().sampleType(), selection.type().sampleUnit());
    ValueType period = new ValueType(selection.type().periodType(), selection.type().periodUnit());
    Profile.Builder builder =
        new Profile.Builder(
            measure.mode(), selection.type().name(), List.of(type), 0, period, measure.period());
    Merging merging = new Merging(question.needsSamples(), lines);
    if (!question.isEmpty() && !sources.isEmpty()) {
      merging.run(question, sources, selection);
    }
    return merging.rows.build(builder);
  }

  /** The way from rows of the store to those of an answer. */
  private final class Merging {
    private static final String GROUPED = "grouped_rows";

    private final boolean pids;
    private final boolean lines;
    private final String by;
    private final Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    private final Map<Integer, Integer> places = new HashMap<>();
    private final MergedRows rows;
    private long count;

    Merging(boolean pids, boolean lines) {
      this.pids = pids;
      this.lines = lines;
      this.by = pids ? "series, stack, pid, tid, start, thread" : "series, stack";
      // What is left is for one dictionary, and for making fewer stacks of many.
      this.rows = new MergedRows(lines, Allowance.left() / 2);
    }

    void run(Question question, List<Source> sources, Selection selection) throws SQLException {
      Reader reader = view.reader();
      List<Stacks.Found> parts = stacks.find(reader, view.dictionaries(selection.range()));
      String sql =
          "SELECT %s, %s AS v FROM %s GROUP BY %s"
              .formatted(
                  by,
                  Rows.sum("v"),
                  Rows.of(question, sources, by + ", ", Rows.slice(selection.slice())),
                  by);
      if (parts.size() == 1) {
        add(parts.getFirst(), sql);
        return;
      }
      // Read once, then a dictionary at a time; the end of the question drops it.
      reader.execute("CREATE OR REPLACE TEMP TABLE " + GROUPED + " AS " + sql);
      for (Stacks.Found part : parts) {
        add(
            part,
            "SELECT * FROM %s WHERE stack >= %d AND stack < %d"
                .formatted(GROUPED, part.base()[0], part.next()[0]));
      }
      if (count != reader.number("SELECT count(*) FROM " + GROUPED)) {
        throw new StoreException("the store has samples without stacks; it is damaged");
      }
    }

    private void add(Stacks.Found found, String sql) throws SQLException {
      try (StackPart part = stacks.open(view.reader(), found, rows.stacks())) {
        view.reader()
            .query(
                sql,
                chunk -> {
                  take(part, chunk);
                  rows.keepWithin(part::renumber);
                });
      }
    }

    private void take(StackPart part, DuckDBDataChunkReader chunk) {
      DuckDBReadableVector series = chunk.vector(0);
      DuckDBReadableVector stack = chunk.vector(1);
      DuckDBReadableVector sum = chunk.vector(pids ? 6 : 2);
      count += chunk.rowCount();
      for (long row = 0; row < chunk.rowCount(); row++) {
        SeriesTable.Entry entry = entries.get(series.getInt(row));
        if (entry == null) {
          continue; // dropped since the question was asked
        }
        int place =
            pids
                ? rows.place(thread(entry, chunk, row), labels(entry))
                : places.computeIfAbsent(
                    entry.id(), id -> rows.place(threadOf(entry.labels()), labels(entry)));
        rows.add(part.stack(stack.getInt(row), rows.stacks()), place, sum.getLong(row));
      }
    }

    /** Who asks for functions asks for no labels. */
    private Labels labels(SeriesTable.Entry entry) {
      return lines ? ownOf(entry.labels()) : Labels.NONE;
    }
  }

  private static ThreadInfo thread(SeriesTable.Entry entry, DuckDBDataChunkReader chunk, long row) {
    return SampleAnswers.thread(
        entry.labels(),
        chunk.vector(2).getInt(row),
        chunk.vector(3).getInt(row),
        chunk.vector(4).getLong(row),
        chunk.vector(5).getString(row));
  }

  /** A series as a thread: all of one name. */
  static ThreadInfo threadOf(Labels labels) {
    return SampleAnswers.thread(labels, 0, 0, 0, labels.values().getOrDefault("comm", ""));
  }

  /** Labels that a thread does not say. */
  static Labels ownOf(Labels labels) {
    TreeMap<String, String> own = new TreeMap<>(labels.values());
    own.remove("comm");
    own.remove("cgroup");
    own.remove("container");
    return new Labels(own);
  }
}
