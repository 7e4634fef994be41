package dev.plumb.store.query;

import dev.plumb.profile.ProfileType;
import dev.plumb.store.Matcher;
import dev.plumb.store.Matcher.Operator;
import dev.plumb.store.Selector;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.dictionary.DetailTable;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Finds the series that a selector matches. DuckDB matches the patterns (RE2: in linear time for
 * any pattern), on distinct values only.
 */
public final class SelectorResolver {
  static final String PID = "pid";
  static final String THREAD = "thread";

  /** A missing label counts as empty. */
  static final String PID_TEXT = "CASE WHEN pid = 0 THEN '' ELSE CAST(pid AS VARCHAR) END";

  private static final int VALUES_AT_ONCE = 1000;

  private final SeriesTable series;
  private final DetailTable details;
  private final ReadTransaction reader;

  public SelectorResolver(SeriesTable series, DetailTable details, ReadTransaction reader) {
    this.series = series;
    this.details = details;
    this.reader = reader;
  }

  /** Resolves a selector for one type. */
  ResolvedQuery resolve(ProfileType type, Selector selector) throws SQLException {
    return resolve(selector, type::equals);
  }

  /** Resolves a selector for all types. */
  ResolvedQuery resolve(Selector selector) throws SQLException {
    return resolve(selector, type -> true);
  }

  private ResolvedQuery resolve(Selector selector, Predicate<ProfileType> wanted)
      throws SQLException {
    Map<ProfileType, Map<String, BitSet>> found = new LinkedHashMap<>();
    List<Measure> measures = series.measures();
    List<SeriesTable.Entry> entries = series.all();
    for (SeriesTable.Entry entry : entries) {
      Measure measure = measures.get(entry.measure());
      add(found, measure.type(), SeriesColumn.VALUE, entry.id(), wanted);
      measure
          .countType()
          .ifPresent(type -> add(found, type, SeriesColumn.COUNT, entry.id(), wanted));
    }
    List<SeriesColumn> columns = new ArrayList<>();
    found.forEach(
        (type, names) ->
            names.forEach((name, ids) -> columns.add(new SeriesColumn(name, type, ids))));
    StringBuilder condition = new StringBuilder();
    for (Matcher matcher : selector.matchers()) {
      apply(matcher, entries, columns, condition);
    }
    columns.removeIf(column -> column.series().isEmpty());
    return new ResolvedQuery(List.copyOf(columns), condition.toString());
  }

  private static void add(
      Map<ProfileType, Map<String, BitSet>> found,
      ProfileType type,
      String column,
      int id,
      Predicate<ProfileType> wanted) {
    if (wanted.test(type)) {
      found
          .computeIfAbsent(type, t -> new LinkedHashMap<>())
          .computeIfAbsent(column, c -> new BitSet())
          .set(id);
    }
  }

  private void apply(
      Matcher matcher,
      List<SeriesTable.Entry> entries,
      List<SeriesColumn> columns,
      StringBuilder condition)
      throws SQLException {
    String name = matcher.name();
    if (PyroscopeLabels.isHidden(name)) {
      Set<String> values = new HashSet<>();
      columns.forEach(column -> values.add(PyroscopeLabels.value(name, column.type())));
      Set<String> matching = matching(matcher, values);
      columns.removeIf(column -> !matching.contains(PyroscopeLabels.value(name, column.type())));
      return;
    }
    boolean ofSamples = isOfSamples(name);
    Set<String> values = new HashSet<>(Set.of(""));
    entries.forEach(entry -> values.add(entry.labels().values().getOrDefault(name, "")));
    Set<String> matching = matching(matcher, values);
    BitSet having = new BitSet();
    BitSet passing = new BitSet();
    for (SeriesTable.Entry entry : entries) {
      String value = entry.labels().values().getOrDefault(name, "");
      having.set(entry.id(), !value.isEmpty());
      passing.set(entry.id(), matching.contains(value) || ofSamples && value.isEmpty());
    }
    columns.forEach(column -> column.series().and(passing));
    if (ofSamples) {
      String wanted = onSamples(matcher);
      condition
          .append(" AND (")
          .append(having.isEmpty() ? "" : SeriesColumn.condition(having) + " OR ")
          .append(wanted)
          .append(")");
    }
  }

  /** Whether samples have that label, or may have it. */
  boolean isOfSamples(String name) {
    return name.equals(PID) || name.equals(THREAD) || details.names().contains(name);
  }

  private static String onSamples(Matcher matcher) {
    if (matcher.name().equals(PID)) {
      return test(PID_TEXT, matcher);
    }
    if (matcher.name().equals(THREAD)) {
      return test("thread", matcher);
    }
    String named = "SELECT id FROM details WHERE name = " + SqlText.quoted(matcher.name());
    return "detail IN ("
        + named
        + " AND "
        + test("value", matcher)
        + ") OR ("
        + test("''", matcher)
        + " AND detail NOT IN ("
        + named
        + "))";
  }

  private static String test(String expression, Matcher matcher) {
    String value = SqlText.quoted(matcher.value());
    return switch (matcher.operator()) {
      case EQUAL -> "(" + expression + ") = " + value;
      case NOT_EQUAL -> "(" + expression + ") <> " + value;
      case MATCHES -> "regexp_full_match(" + expression + ", " + value + ", 's')";
      case NOT_MATCHES -> "NOT regexp_full_match(" + expression + ", " + value + ", 's')";
    };
  }

  /** The values that a matcher accepts. */
  private Set<String> matching(Matcher matcher, Set<String> values) throws SQLException {
    Set<String> result = new HashSet<>();
    if (matcher.operator() == Operator.EQUAL || matcher.operator() == Operator.NOT_EQUAL) {
      boolean equal = matcher.operator() == Operator.EQUAL;
      values.stream().filter(value -> value.equals(matcher.value()) == equal).forEach(result::add);
      return result;
    }
    List<String> all = List.copyOf(new TreeSet<>(values));
    for (int from = 0; from < all.size(); from += VALUES_AT_ONCE) {
      List<String> some = all.subList(from, Math.min(all.size(), from + VALUES_AT_ONCE));
      StringBuilder list = new StringBuilder();
      some.forEach(value -> list.append(list.isEmpty() ? "" : ",").append(SqlText.quoted(value)));
      reader.query(
          "SELECT v FROM (SELECT unnest([" + list + "]) AS v) WHERE " + test("v", matcher),
          chunk -> {
            for (long row = 0; row < chunk.rowCount(); row++) {
              result.add(chunk.vector(0).getString(row));
            }
          });
    }
    return result;
  }

  /** All series, by id. */
  Map<Integer, SeriesTable.Entry> entries() {
    Map<Integer, SeriesTable.Entry> byId = new HashMap<>();
    series.all().forEach(entry -> byId.put(entry.id(), entry));
    return byId;
  }

  public List<Measure> measures() {
    return series.measures();
  }
}
