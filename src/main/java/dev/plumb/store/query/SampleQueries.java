package dev.plumb.store.query;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.ProcessSummary;
import dev.plumb.store.Selection;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.MergedStacks;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.StackDictionaries;
import dev.plumb.store.dictionary.StackTranslator;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.duckdb.DuckDBDataChunkReader;

/** Queries on single samples, processes and quality. */
public final class SampleQueries {
  /** A row, its time, and DuckDB's copy while the rows are read. */
  private static final int SAMPLE_BYTES = 120;

  /** A set of labels, without its texts. */
  private static final int LABEL_BYTES = 200;

  private final StoreSnapshot snapshot;
  private final SelectorResolver resolver;
  private final StackDictionaries stacks;

  public SampleQueries(
      StoreSnapshot snapshot, SelectorResolver resolver, StackDictionaries stacks) {
    this.snapshot = snapshot;
    this.resolver = resolver;
    this.stacks = stacks;
  }

  static ThreadInfo thread(Labels labels, int pid, int tid, long startNanos, String name) {
    return new ThreadInfo(
        pid,
        tid,
        pid,
        startNanos,
        name,
        labels.values().getOrDefault("comm", ""),
        labels.values().getOrDefault("cgroup", ""));
  }

  /**
   * @param whole whether to keep source lines and stacks of wakers
   */
  public Recording samples(Selection selection, long limit, boolean whole) throws SQLException {
    ResolvedQuery query = resolver.resolve(selection.type(), selection.selector());
    List<RowSource> sources = snapshot.samples(selection.range());
    String slice = RowSql.slice(selection.slice());
    Found found = new Found(selection.type(), new MergedStacks(whole));
    if (!query.isEmpty() && !sources.isEmpty()) {
      long count =
          snapshot.reader().number("SELECT count(*) FROM " + RowSql.of(query, sources, "", slice));
      if (count > limit) {
        throw new StoreException(
            StoreException.Reason.TOO_MUCH,
            "the selection has %d samples, more than %d; ask for a shorter time range"
                .formatted(count, limit));
      }
      HeapAllowance.take(count * SAMPLE_BYTES);
      found.details.putAll(details(RowSql.of(query, sources, "detail, ", slice), whole));
      found.findStacks(
          RowSql.of(query, sources, "stack, ", slice),
          stacks.find(snapshot.reader(), snapshot.dictionaries(selection.range())));
      String columns = "time, series, pid, tid, start, thread, detail, stack, cpu, ";
      snapshot
          .reader()
          .query(
              "SELECT * FROM %s ORDER BY time".formatted(RowSql.of(query, sources, columns, slice)),
              found::take);
    }
    Recording recording = found.recording();
    HeapAllowance.giveBack(
        found.timeline.size() * SAMPLE_BYTES / 2); // the rows that were read are garbage now
    return recording;
  }

  /** Labels of samples, by number. */
  private Map<Integer, Labels> details(String rows, boolean whole) throws SQLException {
    Map<Integer, Labels> labels = new HashMap<>();
    Map<String, String> texts = new HashMap<>();
    snapshot
        .reader()
        .query(
            "SELECT id, name, value FROM details WHERE id IN (SELECT DISTINCT detail FROM %s)%s"
                .formatted(rows, whole ? "" : " AND name <> 'waker_stack'"),
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                String name = chunk.vector(1).getString(row);
                String text = chunk.vector(2).getString(row);
                String known = texts.putIfAbsent(text, text);
                HeapAllowance.take(LABEL_BYTES + (known == null ? 2L * text.length() : 0));
                String value = known == null ? text : known;
                labels.merge(
                    chunk.vector(0).getInt(row),
                    Labels.of(name, value),
                    (old, more) -> old.with(name, value));
              }
            });
    return labels;
  }

  /** Makes a recording from samples. */
  private final class Found {
    private final boolean counted;
    private final Profile.Builder builder;
    private final MergedStacks merged;

    /** Stacks of the store in ascending order; {@link #copies} has their numbers in the result. */
    private int[] stored = {};

    private int[] copies = {};
    private final CompactTimelineBuilder timeline = CompactTimeline.builder();
    private final Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    private final Map<Integer, Labels> details = new HashMap<>();
    private final Map<List<Integer>, Integer> labelIds = new HashMap<>();
    private long first = Long.MAX_VALUE;
    private long last;

    Found(ProfileType type, MergedStacks merged) {
      this.merged = merged;
      Optional<Measure> measure =
          resolver.measures().stream().filter(m -> SeriesTable.measures(m, type)).findFirst();
      Optional<ProfileType> count =
          measure.filter(m -> m.type().equals(type)).flatMap(Measure::countType);
      counted = count.isPresent();
      List<ValueType> types = new ArrayList<>();
      count.ifPresent(c -> types.add(new ValueType(c.sampleType(), c.sampleUnit())));
      types.add(new ValueType(type.sampleType(), type.sampleUnit()));
      builder =
          new Profile.Builder(
              measure.map(Measure::mode).orElse(type.name()),
              type.name(),
              types,
              types.size() - 1,
              new ValueType(type.periodType(), type.periodUnit()),
              measure.map(Measure::period).orElse(0L));
    }

    void findStacks(String rows, List<StackDictionaries.Found> parts) throws SQLException {
      stored = distinct(rows);
      copies = new int[stored.length];
      int at = 0;
      for (StackDictionaries.Found found : parts) {
        try (StackTranslator part = stacks.open(snapshot.reader(), found, merged)) {
          long before = merged.bytes();
          while (at < stored.length && stored[at] < part.end()) {
            copies[at] = part.stack(stored[at], merged);
            at++;
          }
          HeapAllowance.take(merged.bytes() - before);
        }
      }
      if (at < stored.length) {
        throw StackTranslator.damaged(stored[at]);
      }
    }

    private int[] distinct(String rows) throws SQLException {
      int[][] all = {new int[1024]};
      int[] count = {0};
      snapshot
          .reader()
          .query(
              "SELECT DISTINCT stack FROM " + rows + " ORDER BY stack",
              chunk -> {
                for (long row = 0; row < chunk.rowCount(); row++) {
                  if (count[0] == all[0].length) {
                    all[0] = Arrays.copyOf(all[0], count[0] * 2);
                  }
                  all[0][count[0]++] = chunk.vector(0).getInt(row);
                }
              });
      return Arrays.copyOf(all[0], count[0]);
    }

    private int stack(int number) {
      int at = Arrays.binarySearch(stored, number);
      if (at < 0) {
        throw StackTranslator.damaged(number);
      }
      return copies[at];
    }

    void take(DuckDBDataChunkReader chunk) throws SQLException {
      for (long row = 0; row < chunk.rowCount(); row++) {
        long nanos = chunk.vector(0).getLong(row) * 1000;
        SeriesTable.Entry entry = entries.get(chunk.vector(1).getInt(row));
        if (entry == null) {
          continue; // dropped after the query began
        }
        int detail = chunk.vector(6).getInt(row);
        int labels =
            labelIds.computeIfAbsent(
                List.of(entry.id(), detail), k -> builder.labels(labels(entry, detail)));
        int thread =
            builder.thread(
                thread(
                    entry.labels(),
                    chunk.vector(2).getInt(row),
                    chunk.vector(3).getInt(row),
                    chunk.vector(4).getLong(row),
                    chunk.vector(5).getString(row)));
        int place = builder.row(stack(chunk.vector(7).getInt(row)), thread, labels);
        long value = chunk.vector(9).getLong(row);
        timeline.append(nanos, place, chunk.vector(8).getShort(row), value);
        if (counted) {
          builder.add(place, 0, chunk.vector(10).getLong(row));
        }
        builder.add(place, counted ? 1 : 0, value);
        first = Math.min(first, nanos);
        last = Math.max(last, nanos);
      }
    }

    private Labels labels(SeriesTable.Entry entry, int detail) {
      Labels labels = SumQueries.ownOf(entry.labels());
      for (Map.Entry<String, String> more :
          details.getOrDefault(detail, Labels.NONE).values().entrySet()) {
        labels = labels.with(more.getKey(), more.getValue());
      }
      return labels;
    }

    Recording recording() {
      Profile profile = builder.build(merged.build(), timeline.build(), Quality.UNKNOWN);
      long start = first == Long.MAX_VALUE ? 0 : first;
      return new Recording(start, Math.max(0, last - start), List.of(profile), Map.of());
    }
  }

  /** The name of each series' processes. */
  private static final String PROCESS_NAMES =
      "(SELECT s.id, coalesce(c.value, v.value, '') AS comm FROM all_series s"
          + " LEFT JOIN series_labels c ON c.series = s.id AND c.name = 'comm'"
          + " LEFT JOIN series_labels v ON v.series = s.id AND v.name = 'service_name')";

  public List<ProcessSummary> processes(Selection selection, int limit) throws SQLException {
    ResolvedQuery query = resolver.resolve(selection.type(), selection.selector());
    boolean whole = selection.slice().isWhole();
    List<RowSource> sources =
        whole ? snapshot.threads(selection.range()) : snapshot.samples(selection.range());
    List<ProcessSummary> found = new ArrayList<>();
    if (query.isEmpty() || sources.isEmpty()) {
      return found;
    }
    String threads =
        sources.stream()
            .map(source -> threadRows(query, source, RowSql.slice(selection.slice())))
            .collect(Collectors.joining(" UNION ALL "));
    String sql =
        // Group by thread first: count(DISTINCT) would need much more memory.
        "SELECT pid, start, comm, min(series), count(*), %s AS v, %s, %s, %s FROM (SELECT r.pid, r.start, p.comm, r.tid, min(r.series) AS series, sum(r.v) AS v, sum(r.n) AS n, sum(r.cut) AS cut, sum(r.unnamed) AS unnamed FROM (%s) r JOIN %s p ON p.id = r.series GROUP BY ALL) GROUP BY pid, start, comm ORDER BY v DESC, pid, comm%s"
            .formatted(
                SqlText.sum("v"),
                SqlText.sum("n"),
                SqlText.sum("cut"),
                SqlText.sum("unnamed"),
                threads,
                PROCESS_NAMES,
                limit <= 0 ? "" : " LIMIT " + limit);
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    snapshot.reader().query(sql, chunk -> addProcesses(chunk, entries, found));
    return found;
  }

  /** The rows of one source; for samples, their stacks say whether they are cut or unnamed. */
  private static String threadRows(ResolvedQuery query, RowSource source, String slice) {
    String columns = "series, pid, start, tid, ";
    if (source.ofThreads()) {
      return "SELECT * FROM "
          + RowSql.of(query, List.of(source), columns + "cut, unnamed, ", slice);
    }
    return "SELECT r.series, r.pid, r.start, r.tid, CASE WHEN s.flags & 1 = 1 THEN n ELSE 0 END AS cut, CASE WHEN s.flags & 2 = 2 THEN n ELSE 0 END AS unnamed, r.v, r.n FROM %s r LEFT JOIN all_stacks s ON s.id = r.stack"
        .formatted(RowSql.of(query, List.of(source), columns + "stack, ", slice));
  }

  private static void addProcesses(
      DuckDBDataChunkReader chunk,
      Map<Integer, SeriesTable.Entry> entries,
      List<ProcessSummary> found) {
    HeapAllowance.take(chunk.rowCount() * LABEL_BYTES);
    for (long row = 0; row < chunk.rowCount(); row++) {
      SeriesTable.Entry entry = entries.get(chunk.vector(3).getInt(row));
      Map<String, String> labels = entry == null ? Map.of() : entry.labels().values();
      found.add(
          new ProcessSummary(
              chunk.vector(0).getInt(row),
              chunk.vector(1).getLong(row),
              chunk.vector(2).getString(row),
              labels.getOrDefault("container", ""),
              labels.getOrDefault("cgroup", ""),
              (int) chunk.vector(4).getLong(row),
              chunk.vector(5).getLong(row),
              chunk.vector(6).getLong(row),
              chunk.vector(7).getLong(row),
              chunk.vector(8).getLong(row)));
    }
  }

  public Quality quality(ProfileType type, TimeRange range) throws SQLException {
    String modes =
        resolver.measures().stream()
            .filter(measure -> SeriesTable.measures(measure, type))
            .map(measure -> SqlText.quoted(measure.mode()))
            .distinct()
            .collect(Collectors.joining(","));
    if (modes.isEmpty()) {
      return Quality.UNKNOWN;
    }
    Map<String, Map<String, Long>> sums = new HashMap<>();
    double[] rates = new double[2];
    snapshot
        .reader()
        .query(
            "SELECT what, reason, sum(n), avg(n) FROM recording_quality WHERE mode IN (%s) AND %s GROUP BY what, reason"
                .formatted(modes, StoreSnapshot.condition(range)),
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                String what = chunk.vector(0).getString(row);
                switch (what) {
                  case "asked" -> rates[0] = chunk.vector(3).getDouble(row);
                  case "held" -> rates[1] = chunk.vector(3).getDouble(row);
                  default ->
                      sums.computeIfAbsent(what, w -> new HashMap<>())
                          .put(
                              chunk.vector(1).getString(row),
                              Math.round(chunk.vector(2).getDouble(row)));
                }
              }
            });
    return new Quality(
        sums.getOrDefault("samples", Map.of()).getOrDefault("", 0L),
        sums.getOrDefault("lost", Map.of()),
        sums.getOrDefault("truncated", Map.of()),
        sums.getOrDefault("unnamed", Map.of()),
        rates[0],
        rates[1]);
  }
}
