package dev.plumb.store.query;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import dev.plumb.store.dictionary.SeriesTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Lists types, labels and series. */
public final class LabelQueries {
  private static final String SERVICE_NAME = "service_name";
  private static final String HIDDEN_SERVICE_NAME = "__service_name__";

  /** A value here and in the response, without its characters. */
  private static final int VALUE_BYTES = 150;

  private static final int SET_BYTES = 300;

  private final StoreSnapshot snapshot;
  private final SelectorResolver resolver;

  public LabelQueries(StoreSnapshot snapshot, SelectorResolver resolver) {
    this.snapshot = snapshot;
    this.resolver = resolver;
  }

  public List<ProfileType> types(TimeRange range) throws SQLException {
    return present(resolver.resolve(Selector.ALL), range).columns().stream()
        .map(SeriesColumn::type)
        .distinct()
        .sorted(Comparator.comparing(ProfileType::id))
        .toList();
  }

  /** The same query on those series that have rows in a range. */
  private ResolvedQuery present(ResolvedQuery query, TimeRange range) throws SQLException {
    if (query.isEmpty()) {
      return query;
    }
    BitSet found = new BitSet();
    for (RowSource source : snapshot.presence(range, query.needsSamples())) {
      snapshot
          .reader()
          .query(
              "SELECT DISTINCT series FROM "
                  + source.from()
                  + " WHERE "
                  + source.condition()
                  + query.sampleCondition(),
              chunk -> {
                for (long row = 0; row < chunk.rowCount(); row++) {
                  found.set(chunk.vector(0).getInt(row));
                }
              });
    }
    List<SeriesColumn> columns = new ArrayList<>();
    for (SeriesColumn column : query.columns()) {
      BitSet both = (BitSet) column.series().clone();
      both.and(found);
      if (!both.isEmpty()) {
        columns.add(new SeriesColumn(column.name(), column.type(), both));
      }
    }
    return new ResolvedQuery(columns, query.sampleCondition());
  }

  public SortedSet<String> names(Selector selector, TimeRange range) throws SQLException {
    ResolvedQuery query = present(resolver.resolve(selector), range);
    SortedSet<String> names = new TreeSet<>();
    for (Labels labels : labelSets(query)) {
      names.addAll(labels.values().keySet());
    }
    List<RowSource> sources = snapshot.threads(range);
    if (!query.isEmpty() && !sources.isEmpty()) {
      addNamesOfSamples(RowSql.of(query.anyType(), sources, RowSql.LABEL_COLUMNS, ""), names);
    }
    return names;
  }

  private void addNamesOfSamples(String rows, Set<String> names) throws SQLException {
    snapshot
        .reader()
        .query(
            "SELECT bool_or(pid <> 0), bool_or(thread <> '') FROM " + rows,
            chunk -> {
              if (chunk.rowCount() > 0 && !chunk.vector(0).isNull(0)) {
                if (chunk.vector(0).getBoolean(0)) {
                  names.add(SelectorResolver.PID);
                }
                if (chunk.vector(1).getBoolean(0)) {
                  names.add(SelectorResolver.THREAD);
                }
              }
            });
    snapshot
        .reader()
        .query(
            "SELECT DISTINCT name FROM details WHERE id IN (SELECT DISTINCT detail FROM "
                + rows
                + ")",
            chunk -> {
              for (long row = 0; row < chunk.rowCount(); row++) {
                names.add(chunk.vector(0).getString(row));
              }
            });
  }

  public SortedSet<String> values(String asked, Selector selector, TimeRange range)
      throws SQLException {
    String name = stored(asked);
    ResolvedQuery query = present(resolver.resolve(selector), range);
    SortedSet<String> values = new TreeSet<>();
    if (PyroscopeLabels.isHidden(name)) {
      query.columns().forEach(column -> values.add(PyroscopeLabels.value(name, column.type())));
      return values;
    }
    for (Labels labels : labelSets(query)) {
      String value = labels.values().get(name);
      if (value != null) {
        add(value, values);
      }
    }
    List<RowSource> sources = snapshot.threads(range);
    if (resolver.isOfSamples(name) && !query.isEmpty() && !sources.isEmpty()) {
      String rows = RowSql.of(query.anyType(), sources, RowSql.LABEL_COLUMNS, "");
      snapshot
          .reader()
          .query(
              "SELECT DISTINCT label0 FROM "
                  + RowSql.labelled(rows, List.of(name))
                  + " WHERE label0 <> ''",
              chunk -> {
                for (long row = 0; row < chunk.rowCount(); row++) {
                  add(chunk.vector(0).getString(row), values);
                }
              });
    }
    return values;
  }

  /** Adds a value and takes memory for it here and in the response. */
  private static void add(String value, Set<String> values) {
    if (values.add(value)) {
      HeapAllowance.take(VALUE_BYTES + 3L * value.length());
    }
  }

  private static void add(Labels labels, Set<Labels> sets) {
    if (sets.add(labels)) {
      long bytes = SET_BYTES;
      for (Map.Entry<String, String> label : labels.values().entrySet()) {
        bytes += VALUE_BYTES + 3L * (label.getKey().length() + label.getValue().length());
      }
      HeapAllowance.take(bytes);
    }
  }

  private Collection<Labels> labelSets(ResolvedQuery query) {
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    Set<Labels> sets = new LinkedHashSet<>();
    for (SeriesColumn column : query.columns()) {
      column.series().stream()
          .filter(entries::containsKey)
          .forEach(id -> sets.add(entries.get(id).labels()));
    }
    return sets;
  }

  public List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range)
      throws SQLException {
    Set<Labels> result = new LinkedHashSet<>();
    List<Selector> selectors = anyOf.isEmpty() ? List.of(Selector.ALL) : anyOf;
    for (Selector selector : selectors) {
      ResolvedQuery query = resolver.resolve(selector);
      List<String> ofSamples = names.stream().filter(resolver::isOfSamples).toList();
      if (ofSamples.isEmpty()) {
        addSeries(present(query, range), names, result);
      } else if (!query.isEmpty() && !snapshot.threads(range).isEmpty()) {
        addSamples(query, names, ofSamples, range, result);
      }
    }
    return result.stream()
        .sorted(Comparator.comparing(labels -> labels.values().toString()))
        .toList();
  }

  private void addSeries(ResolvedQuery query, List<String> names, Set<Labels> result) {
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    for (SeriesColumn column : query.columns()) {
      column.series().stream()
          .filter(entries::containsKey)
          .forEach(id -> add(cut(entries.get(id).labels(), column.type(), names), result));
    }
  }

  private void addSamples(
      ResolvedQuery query,
      List<String> names,
      List<String> ofSamples,
      TimeRange range,
      Set<Labels> result)
      throws SQLException {
    Map<Integer, SeriesTable.Entry> entries = resolver.entries();
    for (SeriesColumn column : query.columns()) {
      ResolvedQuery one = new ResolvedQuery(List.of(column), query.sampleCondition());
      String rows = RowSql.of(one, snapshot.threads(range), "series, " + RowSql.LABEL_COLUMNS, "");
      snapshot
          .reader()
          .query(
              "SELECT DISTINCT series"
                  + RowSql.labelNames(ofSamples.size())
                  + " FROM "
                  + RowSql.labelled(rows, ofSamples),
              chunk -> {
                for (long row = 0; row < chunk.rowCount(); row++) {
                  SeriesTable.Entry entry = entries.get(chunk.vector(0).getInt(row));
                  Labels labels = entry == null ? Labels.NONE : entry.labels();
                  for (int i = 0; i < ofSamples.size(); i++) {
                    String value = chunk.vector(i + 1L).getString(row);
                    labels = value.isEmpty() ? labels : labels.with(ofSamples.get(i), value);
                  }
                  add(cut(labels, column.type(), names), result);
                }
              });
    }
  }

  /** The store's name for a label to which Pyroscope gives another. */
  static String stored(String name) {
    return name.equals(HIDDEN_SERVICE_NAME) ? SERVICE_NAME : name;
  }

  /** The labels with these names; without names, all that are not hidden. */
  static Labels cut(Labels labels, ProfileType type, List<String> names) {
    if (names.isEmpty()) {
      return labels;
    }
    TreeMap<String, String> cut = new TreeMap<>();
    for (String name : names) {
      String own = stored(name);
      String value =
          PyroscopeLabels.isHidden(name)
              ? PyroscopeLabels.value(name, type)
              : labels.values().getOrDefault(own, "");
      if (!value.isEmpty()) {
        cut.put(name, value);
      }
    }
    return new Labels(cut);
  }
}
