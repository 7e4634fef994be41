package dev.plumb.store.query;

import dev.plumb.profile.Labels;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.Selection;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.dictionary.SeriesTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sums over time. Each line of the result needs memory for all its steps. If there are more lines
 * than wanted, a first query finds the largest, and all others are added up in one line from the
 * start. So a label may have any number of values.
 */
public final class TimelineQuery {
  private static final int MAX_STEPS = 200_000;

  /** For all series together: 64 MB. */
  private static final long MAX_SUMS = 8_000_000;

  /** A set of labels with its map entry. */
  private static final int GROUP_BYTES = 400;

  private static final String LARGEST = "largest_groups";

  private final StoreSnapshot snapshot;
  private final SelectorResolver resolver;

  public TimelineQuery(StoreSnapshot snapshot, SelectorResolver resolver) {
    this.snapshot = snapshot;
    this.resolver = resolver;
  }

  /** A request with its resolved query. */
  private record Request(
      Selection selection,
      ResolvedQuery query,
      TimeRange range,
      long stepMicros,
      int steps,
      List<String> groupBy,
      int limit) {
    boolean isTooMany(long groups) {
      return limit > 0 && groups > limit;
    }
  }

  public List<TimeSeries> timeline(
      Selection selection, List<String> groupBy, long stepNanos, int limit) throws SQLException {
    TimeRange range = snapshot.within(selection.range());
    long length = range.toNanos() - range.fromNanos();
    long stepMicros = Math.max(1, stepNanos / 1000);
    long steps = -Math.floorDiv(-length, stepMicros * 1000);
    if (stepNanos <= 0 || steps > MAX_STEPS) {
      throw new IllegalArgumentException(
          "%d steps are too many, the maximum is %d; ask for a longer step"
              .formatted(steps, MAX_STEPS));
    }
    ResolvedQuery query = resolver.resolve(selection.type(), selection.selector());
    Request request = new Request(selection, query, range, stepMicros, (int) steps, groupBy, limit);
    if (query.isEmpty()) {
      return List.of();
    }
    if (groupBy.stream().anyMatch(resolver::isOfSamples)) {
      return bySamples(request);
    }
    boolean single = query.needsSamples() || !selection.slice().isWhole();
    List<RowSource> sources = single ? snapshot.samples(range) : snapshot.steps(range, stepNanos);
    return sources.isEmpty() ? List.of() : bySeries(request, sources);
  }

  /** For labels of series, which are known before anything is read. */
  private List<TimeSeries> bySeries(Request request, List<RowSource> sources) throws SQLException {
    Map<Labels, Integer> groups = new HashMap<>();
    Map<Integer, Integer> ofSeries = new HashMap<>();
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    for (int id : series(request.query())) {
      SeriesTable.Entry entry = entries.get(id);
      Labels all = entry == null ? Labels.NONE : entry.labels();
      int before = groups.size();
      Integer group = groups.computeIfAbsent(cut(all, request), g -> before);
      HeapAllowance.take(groups.size() > before ? GROUP_BYTES : 0);
      ofSeries.put(id, group);
    }
    List<Labels> names = new ArrayList<>(groups.size());
    groups.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(group -> names.add(group.getKey()));
    if (request.isTooMany(names.size()) && !hasRoom(names.size(), request)) {
      return bySeries(request, sources, largest(request, sources, names, ofSeries), ofSeries);
    }
    return bySeries(request, sources, new Lines(names, request), ofSeries);
  }

  private static int[] series(ResolvedQuery query) {
    BitSet all = new BitSet();
    query.columns().forEach(column -> all.or(column.series()));
    return all.stream().toArray();
  }

  /** Whether all lines fit: reading once takes half as long. */
  private static boolean hasRoom(long groups, Request request) {
    return groups * request.steps() <= Math.min(MAX_SUMS, HeapAllowance.left() / Double.BYTES / 4);
  }

  /** Assigns each series to one of the largest groups or to the rest. */
  private Lines largest(
      Request request, List<RowSource> sources, List<Labels> names, Map<Integer, Integer> ofSeries)
      throws SQLException {
    double[] totals = new double[names.size()];
    snapshot
        .reader()
        .query(
            "SELECT series, %s FROM %s GROUP BY series"
                .formatted(SqlText.sum("v"), rows(request, sources, "series, ")),
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                totals[ofSeries.get(chunk.vector(0).getInt(row))] += chunk.vector(1).getLong(row);
              }
            });
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < totals.length; i++) {
      order.add(i);
    }
    order.sort(
        Comparator.comparingDouble((Integer group) -> -totals[group])
            .thenComparing(group -> names.get(group).values().toString()));
    List<Integer> kept = order.subList(0, request.limit());
    int[] lines = new int[totals.length];
    Arrays.fill(lines, Lines.REST);
    for (int i = 0; i < kept.size(); i++) {
      lines[kept.get(i)] = i;
    }
    ofSeries.replaceAll((id, group) -> lines[group]);
    return new Lines(kept.stream().map(names::get).toList(), request);
  }

  private List<TimeSeries> bySeries(
      Request request, List<RowSource> sources, Lines lines, Map<Integer, Integer> ofSeries)
      throws SQLException {
    String rows = rows(request, sources, "time, series, ");
    snapshot
        .reader()
        .query(
            "SELECT series, step, %s FROM (SELECT *, %s FROM %s) GROUP BY series, step"
                .formatted(SqlText.sum("v"), step(request), rows),
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                lines.add(
                    ofSeries.get(chunk.vector(0).getInt(row)),
                    chunk.vector(1).getInt(row),
                    chunk.vector(2).getLong(row));
              }
            });
    return lines.series();
  }

  /** For labels of samples, of which there may be any number: DuckDB groups them. */
  private List<TimeSeries> bySamples(Request request) throws SQLException {
    List<RowSource> samples = snapshot.samples(request.range());
    if (samples.isEmpty()) {
      return List.of();
    }
    boolean whole = request.selection().slice().isWhole();
    List<RowSource> totals = whole ? snapshot.threads(request.range()) : samples;
    int count = request.groupBy().size();
    String labels = RowSql.labelNames(count).substring(2);
    snapshot
        .reader()
        .execute(
            "CREATE OR REPLACE TEMP TABLE %s AS SELECT CAST(row_number() OVER (ORDER BY v DESC, %s) - 1 AS INTEGER) AS line, * FROM (SELECT %s, sum(v) AS v FROM %s GROUP BY ALL ORDER BY v DESC, %s%s)"
                .formatted(
                    LARGEST,
                    labels,
                    labels,
                    labelled(request, totals, ""),
                    labels,
                    request.limit() > 0 ? " LIMIT " + request.limit() : ""));
    Lines lines = new Lines(groups(request), request);
    StringBuilder same = new StringBuilder();
    for (int i = 0; i < count; i++) {
      same.append(i == 0 ? "" : " AND ").append("g.label%d = r.label%d".formatted(i, i));
    }
    snapshot
        .reader()
        .query(
            "SELECT line, step, %s FROM (SELECT coalesce(g.line, %d) AS line, r.v, %s FROM %s r LEFT JOIN %s g ON %s) GROUP BY line, step"
                .formatted(
                    SqlText.sum("v"),
                    Lines.REST,
                    step(request),
                    labelled(request, samples, "time, "),
                    LARGEST,
                    same),
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                lines.add(
                    chunk.vector(0).getInt(row),
                    chunk.vector(1).getInt(row),
                    chunk.vector(2).getLong(row));
              }
            });
    return lines.series();
  }

  private List<Labels> groups(Request request) throws SQLException {
    refuseTooMany(snapshot.reader().number("SELECT count(*) FROM " + LARGEST), request);
    List<Labels> groups = new ArrayList<>();
    snapshot
        .reader()
        .query(
            "SELECT %s FROM %s ORDER BY line"
                .formatted(RowSql.labelNames(request.groupBy().size()).substring(2), LARGEST),
            chunk -> {
              HeapAllowance.take(chunk.rowCount() * GROUP_BYTES);
              for (long row = 0; row < chunk.rowCount(); row++) {
                TreeMap<String, String> values = new TreeMap<>();
                for (int i = 0; i < request.groupBy().size(); i++) {
                  String value = chunk.vector(i).getString(row);
                  if (!value.isEmpty()) {
                    values.put(request.groupBy().get(i), value);
                  }
                }
                groups.add(new Labels(values));
              }
            });
    return groups;
  }

  /** Rows with a column for each label to group by: the sample's or else its series' label. */
  private String labelled(Request request, List<RowSource> sources, String columns) {
    List<String> ofSamples = request.groupBy().stream().filter(resolver::isOfSamples).toList();
    StringBuilder labels = new StringBuilder();
    StringBuilder joins = new StringBuilder();
    for (int i = 0; i < request.groupBy().size(); i++) {
      String name = request.groupBy().get(i);
      String value;
      if (PyroscopeLabels.isHidden(name)) {
        value = SqlText.quoted(PyroscopeLabels.value(name, request.selection().type()));
      } else {
        int sample = ofSamples.indexOf(name);
        value =
            "coalesce(%ss%d.value, '')"
                .formatted(sample < 0 ? "" : "nullif(l.label%d, ''), ".formatted(sample), i);
        joins.append(
            " LEFT JOIN (SELECT series, any_value(value) AS value FROM series_labels WHERE name = %s GROUP BY series) s%d ON s%d.series = l.series"
                .formatted(SqlText.quoted(LabelQueries.stored(name)), i, i));
      }
      labels.append(", ").append(value).append(" AS label").append(i);
    }
    String rows = rows(request, sources, columns + "series, " + RowSql.LABEL_COLUMNS);
    return "(SELECT %sl.v%s FROM %s l%s)"
        .formatted(
            columns.isEmpty() ? "" : "l." + columns,
            labels,
            RowSql.labelled(rows, ofSamples),
            joins);
  }

  private static String rows(Request request, List<RowSource> sources, String columns) {
    return RowSql.of(request.query(), sources, columns, RowSql.slice(request.selection().slice()));
  }

  private static String step(Request request) {
    return "CAST((time - %d) // %d AS INTEGER) AS step"
        .formatted(StoreSnapshot.micros(request.range().fromNanos()), request.stepMicros());
  }

  private static Labels cut(Labels labels, Request request) {
    return request.groupBy().isEmpty()
        ? Labels.NONE
        : LabelQueries.cut(labels, request.selection().type(), request.groupBy());
  }

  private static void refuseTooMany(long lines, Request request) {
    if (lines * request.steps() > MAX_SUMS
        || request.steps() > HeapAllowance.left() / Double.BYTES) {
      throw new StoreException(
          StoreException.Reason.TOO_MUCH,
          "%d series of %d steps need more memory than a query may use; ask for a longer step, a"
                  .formatted(lines, request.steps())
              + " shorter time range, or fewer labels");
    }
  }

  /** Accumulates the lines of a result; lines without samples are left out. */
  private static final class Lines {
    /** The line of all groups without one of their own. */
    static final int REST = -1;

    private final List<Labels> labels;
    private final double[][] values;
    private final double[] rest;
    private final Request request;
    private int count;
    private boolean anyRest;

    Lines(List<Labels> labels, Request request) {
      this.request = request;
      this.labels = labels;
      this.values = new double[labels.size()][];
      this.rest = line();
    }

    void add(int line, int step, long sum) {
      if (line == REST) {
        rest[step] += sum;
        anyRest = true;
        return;
      }
      if (values[line] == null) {
        values[line] = line();
      }
      values[line][step] += sum;
    }

    private double[] line() {
      refuseTooMany(++count, request);
      HeapAllowance.take((long) request.steps() * Double.BYTES);
      return new double[request.steps()];
    }

    List<TimeSeries> series() {
      List<TimeSeries> all = new ArrayList<>();
      for (int i = 0; i < values.length; i++) {
        if (values[i] != null) {
          all.add(new TimeSeries(labels.get(i), values[i]));
        }
      }
      all.sort(
          Comparator.comparingDouble(TimeSeries::total)
              .reversed()
              .thenComparing(series -> series.labels().values().toString()));
      List<TimeSeries> cut = request.isTooMany(all.size()) ? all.subList(0, request.limit()) : all;
      for (TimeSeries series : all.subList(cut.size(), all.size())) {
        for (int i = 0; i < rest.length; i++) {
          rest[i] += series.values()[i];
        }
        anyRest = true;
      }
      List<TimeSeries> result = new ArrayList<>(cut);
      if (anyRest) {
        result.add(new TimeSeries(Labels.NONE, rest));
      }
      return result;
    }
  }
}
