package dev.plumb.store;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.duckdb.DuckDBDataChunkReader;

/** What single samples say. */
final class SampleAnswers {
  private final View view;
  private final Resolver resolver;
  private final Stacks stacks;

  SampleAnswers(View view, Resolver resolver, Stacks stacks) {
    this.view = view;
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

  Recording samples(Selection selection, long limit) throws SQLException {
    Question question = resolver.question(selection.type(), selection.selector());
    List<Source> sources = view.samples(selection.range());
    StackCopy copy =
        new StackCopy(stacks.find(view.reader(), view.dictionaries(selection.range())));
    Found found = new Found(selection.type(), copy, limit);
    if (!question.isEmpty() && !sources.isEmpty()) {
      found.details.putAll(details(question, selection, sources));
      String columns = "time, series, pid, tid, start, thread, detail, stack, cpu, ";
      view.reader()
          .query(
              "SELECT * FROM %s ORDER BY time LIMIT %d"
                  .formatted(
                      Rows.of(question, sources, columns, Rows.slice(selection.slice())),
                      limit + 1),
              found::take);
    }
    return found.recording();
  }

  /** Labels of single samples, by number. */
  private Map<Integer, Labels> details(Question question, Selection selection, List<Source> sources)
      throws SQLException {
    Map<Integer, Labels> labels = new HashMap<>();
    view.reader()
        .query(
            "SELECT id, name, value FROM details WHERE id IN (SELECT DISTINCT detail FROM %s)"
                .formatted(Rows.of(question, sources, "detail, ", Rows.slice(selection.slice()))),
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                String name = chunk.vector(1).getString(row);
                String value = chunk.vector(2).getString(row);
                labels.merge(
                    chunk.vector(0).getInt(row),
                    Labels.of(name, value),
                    (old, more) -> old.with(name, value));
              }
            });
    return labels;
  }

  /** Samples, made into a recording. */
  private final class Found {
    private final long limit;
    private final boolean counted;
    private final Profile.Builder builder;
    private final StackCopy copy;
    private final CompactTimelineBuilder timeline = CompactTimeline.builder();
    private final Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    private final Map<Integer, Labels> details = new HashMap<>();
    private final Map<List<Integer>, Integer> labelIds = new HashMap<>();
    private long first = Long.MAX_VALUE;
    private long last;

    Found(ProfileType type, StackCopy copy, long limit) {
      this.copy = copy;
      this.limit = limit;
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

    void take(DuckDBDataChunkReader chunk) throws SQLException {
      for (long row = 0; row < chunk.rowCount(); row++) {
        long nanos = chunk.vector(0).getLong(row) * 1000;
        SeriesTable.Entry entry = entries.get(chunk.vector(1).getInt(row));
        if (entry == null) {
          continue; // dropped since the question was asked
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
        int place = builder.row(copy.stack(chunk.vector(7).getInt(row)), thread, labels);
        long value = chunk.vector(9).getLong(row);
        if (timeline.size() == limit) {
          throw new StoreException(
              StoreException.Reason.TOO_MUCH,
              "these are more than %d samples; ask for a shorter time range".formatted(limit));
        }
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
      Labels labels = SumAnswers.ownOf(entry.labels());
      for (Map.Entry<String, String> more :
          details.getOrDefault(detail, Labels.NONE).values().entrySet()) {
        labels = labels.with(more.getKey(), more.getValue());
      }
      return labels;
    }

    Recording recording() {
      Profile profile = builder.build(copy.build(), timeline.build(), Quality.UNKNOWN);
      long start = first == Long.MAX_VALUE ? 0 : first;
      return new Recording(start, Math.max(0, last - start), List.of(profile), Map.of());
    }
  }

  /** A process, while its threads and series are put together. */
  private static final class Sum {
    private final Labels labels;
    private final Set<Integer> threads = new HashSet<>();
    private long value;
    private long samples;
    private long cut;
    private long unnamed;

    Sum(Labels labels) {
      this.labels = labels;
    }
  }

  private record Key(int pid, long start, String comm) {}

  List<ProcessSummary> processes(Selection selection, int limit) throws SQLException {
    Question question = resolver.question(selection.type(), selection.selector());
    boolean whole = selection.slice().isWhole();
    List<Source> sources =
        whole ? view.threads(selection.range()) : view.samples(selection.range());
    Map<Key, Sum> sums = new HashMap<>();
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    for (Source source : sources) {
      if (question.isEmpty()) {
        break;
      }
      String bad = source.ofThreads() ? "cut, unnamed, " : "stack, ";
      String rows =
          Rows.of(
              question,
              List.of(source),
              "series, pid, start, tid, " + bad,
              Rows.slice(selection.slice()));
      String sql =
          "SELECT r.series, r.pid, r.start, r.tid, %s, %s, %s, %s FROM %s r %s GROUP BY ALL"
              .formatted(
                  Rows.sum("v"),
                  Rows.sum("n"),
                  Rows.sum(
                      source.ofThreads() ? "cut" : "CASE WHEN s.flags & 1 = 1 THEN n ELSE 0 END"),
                  Rows.sum(
                      source.ofThreads()
                          ? "unnamed"
                          : "CASE WHEN s.flags & 2 = 2 THEN n ELSE 0 END"),
                  rows,
                  source.ofThreads() ? "" : "LEFT JOIN all_stacks s ON s.id = r.stack");
      view.reader().query(sql, chunk -> addThreads(chunk, entries, sums));
    }
    return sums.entrySet().stream()
        .map(entry -> summary(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.comparingLong(ProcessSummary::value)
                .reversed()
                .thenComparingInt(ProcessSummary::pid)
                .thenComparing(ProcessSummary::comm))
        .limit(limit <= 0 ? Long.MAX_VALUE : limit)
        .toList();
  }

  private static void addThreads(
      DuckDBDataChunkReader chunk, Map<Integer, SeriesTable.Entry> entries, Map<Key, Sum> sums) {
    for (long row = 0; row < chunk.rowCount(); row++) {
      SeriesTable.Entry entry = entries.get(chunk.vector(0).getInt(row));
      if (entry == null) {
        continue; // dropped since the question was asked
      }
      Labels labels = entry.labels();
      String comm =
          labels.values().getOrDefault("comm", labels.values().getOrDefault("service_name", ""));
      Key key = new Key(chunk.vector(1).getInt(row), chunk.vector(2).getLong(row), comm);
      Sum sum = sums.computeIfAbsent(key, k -> new Sum(labels));
      sum.threads.add(chunk.vector(3).getInt(row));
      sum.value += chunk.vector(4).getLong(row);
      sum.samples += chunk.vector(5).getLong(row);
      sum.cut += chunk.vector(6).getLong(row);
      sum.unnamed += chunk.vector(7).getLong(row);
    }
  }

  private static ProcessSummary summary(Key key, Sum sum) {
    return new ProcessSummary(
        key.pid(),
        key.start(),
        key.comm(),
        sum.labels.values().getOrDefault("container", ""),
        sum.labels.values().getOrDefault("cgroup", ""),
        sum.threads.size(),
        sum.value,
        sum.samples,
        sum.cut,
        sum.unnamed);
  }

  Quality quality(ProfileType type, TimeRange range) throws SQLException {
    String modes =
        resolver.measures().stream()
            .filter(measure -> SeriesTable.measures(measure, type))
            .map(measure -> Database.quoted(measure.mode()))
            .distinct()
            .collect(Collectors.joining(","));
    if (modes.isEmpty()) {
      return Quality.UNKNOWN;
    }
    Map<String, Map<String, Long>> sums = new HashMap<>();
    double[] rates = new double[2];
    view.reader()
        .query(
            "SELECT what, reason, sum(n), avg(n) FROM recording_quality WHERE mode IN (%s) AND %s GROUP BY what, reason"
                .formatted(modes, View.condition(range)),
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
