package dev.plumb.server.pyroscope;

import dev.plumb.export.ProtoIn;
import dev.plumb.export.ProtoOut;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.server.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.Series;
import dev.plumb.store.TimeRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** querier.v1.QuerierService: what asks for labels and for sums over time. */
final class LabelQuerier {
  /** More lines than anybody can look at, or a store should be asked for. */
  private static final int MAX_SERIES = 2_000;

  private static final int MAX_STEPS = 50_000;

  private final History history;

  LabelQuerier(History history) {
    this.history = history;
  }

  byte[] labelNames(byte[] request) {
    List<String> matchers = new ArrayList<>();
    long start = 0;
    long end = 0;
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> matchers.add(in.string());
        case 2 -> start = in.number();
        case 3 -> end = in.number();
        default -> {}
      }
    }
    TimeRange range = Question.anyRange(start, end);
    SortedSet<String> names = new TreeSet<>();
    for (MetaLabels.Split split : splits(matchers)) {
      if (isPossible(split, range)) {
        names.addAll(history.labelNames(split.selector(), range));
      }
    }
    return names(MetaLabels.allNames(names));
  }

  byte[] labelValues(byte[] request) {
    String name = "";
    List<String> matchers = new ArrayList<>();
    long start = 0;
    long end = 0;
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> name = in.string();
        case 2 -> matchers.add(in.string());
        case 3 -> start = in.number();
        case 4 -> end = in.number();
        default -> {}
      }
    }
    if (name.isEmpty()) {
      throw Refusal.invalid("label name is required");
    }
    TimeRange range = Question.anyRange(start, end);
    SortedSet<String> values = new TreeSet<>();
    for (MetaLabels.Split split : splits(matchers)) {
      if (MetaLabels.isOfType(name)) {
        values.addAll(MetaLabels.values(name, types(split, range)));
      } else if (isPossible(split, range)) {
        values.addAll(history.labelValues(MetaLabels.stored(name), split.selector(), range));
      }
    }
    return names(values);
  }

  private static byte[] names(SortedSet<String> names) {
    ProtoOut out = new ProtoOut();
    names.forEach(name -> out.element(1, name));
    return out.toBytes();
  }

  /** Any of them may hold; without any, all series do. */
  private static List<MetaLabels.Split> splits(List<String> matchers) {
    if (matchers.isEmpty()) {
      return List.of(MetaLabels.split(List.of()));
    }
    return matchers.stream().map(text -> MetaLabels.split(Question.parseSelector(text))).toList();
  }

  private boolean isPossible(MetaLabels.Split split, TimeRange range) {
    return split.ofType().isEmpty() || history.types(range).stream().anyMatch(split::accepts);
  }

  /** The types that have something of what was selected. */
  private List<ProfileType> types(MetaLabels.Split split, TimeRange range) {
    return history.types(range).stream()
        .filter(split::accepts)
        .filter(
            type ->
                split.selector().matchers().isEmpty()
                    || !groups(type, split.selector(), range, List.of()).isEmpty())
        .toList();
  }

  /** The label sets that a type has, cut down to these names. */
  private List<Labels> groups(
      ProfileType type, Selector selector, TimeRange range, List<String> names) {
    long length = Math.max(1, range.toNanos() - range.fromNanos());
    return history.timeline(Selection.of(type, selector, range), names, length, MAX_SERIES).stream()
        .filter(series -> series.total() != 0)
        .map(Series::labels)
        .toList();
  }

  byte[] series(byte[] request) {
    List<String> matchers = new ArrayList<>();
    List<String> names = new ArrayList<>();
    long start = 0;
    long end = 0;
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> matchers.add(in.string());
        case 2 -> names.add(in.string());
        case 3 -> start = in.number();
        case 4 -> end = in.number();
        default -> {}
      }
    }
    TimeRange range = bounded(Question.anyRange(start, end));
    SortedSet<SortedMap<String, String>> sets =
        new TreeSet<>(Comparator.comparing(SortedMap::toString));
    for (MetaLabels.Split split : splits(matchers)) {
      boolean byType =
          names.isEmpty()
              || !split.ofType().isEmpty()
              || names.stream().anyMatch(MetaLabels::isOfType);
      if (byType) {
        addByType(split, names, range, sets);
      } else {
        history
            .series(List.of(split.selector()), stored(names), range)
            .forEach(labels -> sets.add(withTwin(labels, names)));
      }
    }
    ProtoOut out = new ProtoOut();
    sets.stream()
        .filter(labels -> !labels.isEmpty())
        .forEach(labels -> out.message(2, labels(labels)));
    return out.toBytes();
  }

  /** A range that has an end, so that it can be one step. */
  private TimeRange bounded(TimeRange range) {
    return range.equals(TimeRange.ALL) ? history.span().orElse(new TimeRange(0, 1)) : range;
  }

  private void addByType(
      MetaLabels.Split split,
      List<String> names,
      TimeRange range,
      SortedSet<SortedMap<String, String>> sets) {
    List<String> asked =
        names.isEmpty() ? List.copyOf(history.labelNames(split.selector(), range)) : stored(names);
    for (ProfileType type : history.types(range)) {
      if (!split.accepts(type)) {
        continue;
      }
      for (Labels labels : groups(type, split.selector(), range, asked)) {
        SortedMap<String, String> set = withTwin(labels, names);
        MetaLabels.of(type)
            .forEach(
                (name, value) -> {
                  if ((names.isEmpty() || names.contains(name)) && !value.isEmpty()) {
                    set.put(name, value);
                  }
                });
        sets.add(set);
      }
    }
  }

  private static List<String> stored(List<String> names) {
    return names.stream()
        .filter(name -> !MetaLabels.isOfType(name))
        .map(MetaLabels::stored)
        .distinct()
        .toList();
  }

  private static SortedMap<String, String> withTwin(Labels labels, List<String> names) {
    SortedMap<String, String> set = new TreeMap<>(labels.values());
    set.values().removeIf(String::isEmpty);
    boolean twin = names.isEmpty() || names.stream().anyMatch(MetaLabels::isTwin);
    if (twin && set.containsKey(MetaLabels.SERVICE)) {
      set.put("__service_name__", set.get(MetaLabels.SERVICE));
    }
    if (!names.isEmpty()) {
      set.keySet().removeIf(name -> !names.contains(name));
    }
    return set;
  }

  private static ProtoOut labels(SortedMap<String, String> labels) {
    ProtoOut out = new ProtoOut();
    labels.forEach((name, value) -> out.message(1, new ProtoOut().text(1, name).text(2, value)));
    return out;
  }

  byte[] selectSeries(byte[] request) {
    Question.Reader reader =
        new Question.Reader() {
          @Override
          void other(ProtoIn in) {
            switch (in.field()) {
              case 5 -> groupBy.add(in.string());
              case 6 -> step = in.real();
              case 8 -> callSite = in.length() > 0;
              case 9 -> limit = in.number();
              default -> {}
            }
          }
        }.read(new ProtoIn(request));
    Question question = reader.question();
    if (reader.step == 0) {
      throw Refusal.invalid("step must be non-zero");
    }
    long step = (long) (reader.step * 1000);
    if (!(reader.step > 0) || step < 1) {
      throw Refusal.invalid("step must be at least a millisecond: it counts seconds");
    }
    if ((question.endMillis() - question.startMillis()) / step > MAX_STEPS) {
      throw Refusal.invalid(
          "more than %d steps: choose a longer step or a shorter time", MAX_STEPS);
    }
    ProtoOut out = new ProtoOut();
    for (Series series : sums(question, reader.groupBy, step, reader.limit)) {
      ProtoOut encoded = labels(labels(series, reader.groupBy, question.type()));
      if (points(series, question.startMillis(), step, encoded)) {
        out.message(1, encoded);
      }
    }
    return out.toBytes();
  }

  private List<Series> sums(Question question, List<String> groupBy, long step, long limit) {
    if (!question.isPossible()) {
      return List.of();
    }
    int most = limit > 0 && limit < MAX_SERIES ? (int) limit : MAX_SERIES;
    List<Series> all =
        history.timeline(question.selection(), stored(groupBy), step * 1_000_000, most);
    List<Series> kept = new ArrayList<>(all);
    // Beyond a limit the store sums up what it left out; Pyroscope leaves it out.
    if (limit > 0 && kept.size() > limit) {
      kept.subList((int) limit, kept.size()).clear();
    }
    kept.sort(Comparator.comparing(series -> series.labels().values().toString()));
    return kept;
  }

  private static SortedMap<String, String> labels(
      Series series, List<String> groupBy, ProfileType type) {
    if (groupBy.isEmpty()) {
      return new TreeMap<>();
    }
    SortedMap<String, String> set = withTwin(series.labels(), groupBy);
    MetaLabels.of(type)
        .forEach(
            (name, value) -> {
              if (groupBy.contains(name)) {
                set.put(name, value);
              }
            });
    return set;
  }

  /** A point stands at the end of its step; steps without a value have none. */
  private static boolean points(Series series, long startMillis, long step, ProtoOut out) {
    boolean any = false;
    for (int i = 0; i < series.values().length; i++) {
      double value = series.values()[i];
      if (value != 0) {
        long time = startMillis + (i + 1) * step;
        out.message(2, new ProtoOut().real(1, value).number(2, time));
        any = true;
      }
    }
    return any;
  }
}
