package dev.plumb.server.pyroscope.query;

import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Labels;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.MetaLabels;
import dev.plumb.server.pyroscope.wire.PyroscopeFields;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.History;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** querier.v1.QuerierService: what asks for labels and for sums over time. */
public final class LabelQuerier {
  /** More series than anybody can look at, or than the store should be asked for. */
  private static final int MAX_SERIES = 2_000;

  private static final int MAX_STEPS = 50_000;

  /** A point takes memory in its series, in the answer, and in the arrays that they outgrew. */
  private static final long POINT_BYTES = 3 * 20;

  private final History history;

  public LabelQuerier(History history) {
    this.history = history;
  }

  public byte[] labelNames(byte[] request) {
    List<String> matchers = new ArrayList<>();
    long start = 0;
    long end = 0;
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.LABEL_NAMES_MATCHERS -> matchers.add(in.string());
        case PyroscopeFields.LABEL_NAMES_START -> start = in.number();
        case PyroscopeFields.LABEL_NAMES_END -> end = in.number();
        default -> {}
      }
    }
    TimeRange range = SelectRequest.anyRange(start, end);
    SortedSet<String> names = new TreeSet<>();
    for (Selector selector : selectors(matchers)) {
      names.addAll(history.labelNames(selector, range));
    }
    if (!names.isEmpty()) {
      names.addAll(MetaLabels.NAMES);
    }
    return names(names);
  }

  public byte[] labelValues(byte[] request) {
    String name = "";
    List<String> matchers = new ArrayList<>();
    long start = 0;
    long end = 0;
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.LABEL_VALUES_NAME -> name = in.string();
        case PyroscopeFields.LABEL_VALUES_MATCHERS -> matchers.add(in.string());
        case PyroscopeFields.LABEL_VALUES_START -> start = in.number();
        case PyroscopeFields.LABEL_VALUES_END -> end = in.number();
        default -> {}
      }
    }
    if (name.isEmpty()) {
      throw Refusal.invalid("label name is required");
    }
    TimeRange range = SelectRequest.anyRange(start, end);
    SortedSet<String> values = new TreeSet<>();
    for (Selector selector : selectors(matchers)) {
      values.addAll(history.labelValues(name, selector, range));
    }
    values.remove("");
    return names(values);
  }

  private static byte[] names(SortedSet<String> names) {
    ProtoOut out = new ProtoOut();
    names.forEach(name -> out.element(PyroscopeFields.NAMES_NAME, name));
    return out.toBytes();
  }

  /** A series must match any of the selectors; without selectors, all series match. */
  private static List<Selector> selectors(List<String> matchers) {
    return matchers.isEmpty()
        ? List.of(Selector.ALL)
        : SelectRequest.checkCount(matchers, "selectors").stream()
            .map(text -> new Selector(SelectRequest.parseSelector(text)))
            .toList();
  }

  public byte[] series(byte[] request) {
    List<String> matchers = new ArrayList<>();
    List<String> names = new ArrayList<>();
    long start = 0;
    long end = 0;
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.SERIES_MATCHERS -> matchers.add(in.string());
        case PyroscopeFields.SERIES_LABEL_NAMES -> names.add(in.string());
        case PyroscopeFields.SERIES_START -> start = in.number();
        case PyroscopeFields.SERIES_END -> end = in.number();
        default -> {}
      }
    }
    TimeRange range = SelectRequest.anyRange(start, end);
    List<Selector> selectors = selectors(matchers);
    SortedSet<SortedMap<String, String>> sets =
        new TreeSet<>(Comparator.comparing(SortedMap::toString));
    for (Labels labels : history.series(selectors, asked(names, selectors, range), range)) {
      SortedMap<String, String> set = new TreeMap<>(labels.values());
      set.values().removeIf(String::isEmpty);
      sets.add(set);
    }
    ProtoOut out = new ProtoOut();
    sets.stream()
        .filter(labels -> !labels.isEmpty())
        .forEach(labels -> out.message(PyroscopeFields.SERIES_LABELS_SET, labels(labels)));
    return out.toBytes();
  }

  /** The requested names; without any, all labels of the series and of their types. */
  private List<String> asked(List<String> names, List<Selector> selectors, TimeRange range) {
    if (!names.isEmpty()) {
      return names;
    }
    SortedSet<String> all = new TreeSet<>(MetaLabels.NAMES);
    for (Labels labels : history.series(selectors, List.of(), range)) {
      all.addAll(labels.values().keySet());
    }
    return List.copyOf(all);
  }

  static ProtoOut labels(SortedMap<String, String> labels) {
    ProtoOut out = new ProtoOut();
    labels.forEach(
        (name, value) ->
            out.message(
                PyroscopeFields.LABELS_LABEL,
                new ProtoOut()
                    .text(PyroscopeFields.LABEL_NAME, name)
                    .text(PyroscopeFields.LABEL_VALUE, value)));
    return out;
  }

  public byte[] selectSeries(byte[] request) {
    SelectRequest.Reader reader =
        new SelectRequest.Reader() {
          @Override
          void other(ProtoIn in) {
            switch (in.field()) {
              case PyroscopeFields.SELECT_SERIES_GROUP_BY -> groupBy.add(in.string());
              case PyroscopeFields.SELECT_SERIES_STEP -> step = in.real();
              case PyroscopeFields.SELECT_SERIES_STACKS -> stacksSelected = in.length() > 0;
              case PyroscopeFields.SELECT_SERIES_LIMIT -> limit = in.number();
              default -> {}
            }
          }
        }.read(new ProtoIn(request));
    SelectRequest question = reader.question();
    if (reader.stacksSelected) {
      throw Refusal.invalid("SelectSeries takes no stack_trace_selector here: leave it out");
    }
    if (reader.step == 0) {
      throw Refusal.invalid("step must be non-zero");
    }
    long step = (long) (reader.step * 1000);
    if (!(reader.step > 0) || step < 1) {
      throw Refusal.invalid("step must be at least a millisecond; its unit is the second");
    }
    if ((question.endMillis() - question.startMillis()) / step > MAX_STEPS) {
      throw Refusal.invalid(
          "more than %d steps: choose a longer step or a shorter time", MAX_STEPS);
    }
    ProtoOut out = new ProtoOut();
    for (TimeSeries series :
        sums(question, SelectRequest.checkCount(reader.groupBy, "labels"), step, reader.limit)) {
      SortedMap<String, String> set = new TreeMap<>(series.labels().values());
      set.values().removeIf(String::isEmpty);
      ProtoOut encoded = labels(set);
      HeapAllowance.take(POINT_BYTES * Arrays.stream(series.values()).filter(v -> v != 0).count());
      if (points(series, question.startMillis(), step, encoded)) {
        out.message(PyroscopeFields.SELECT_SERIES_SERIES, encoded);
      }
    }
    return out.toBytes();
  }

  private List<TimeSeries> sums(
      SelectRequest question, List<String> groupBy, long step, long limit) {
    int most = limit > 0 && limit < MAX_SERIES ? (int) limit : MAX_SERIES;
    // Stored sums can answer from a whole second on, but Grafana's ranges begin anywhere.
    long start = step % 1000 == 0 ? question.startMillis() / 1000 * 1000 : question.startMillis();
    List<TimeSeries> all =
        history.timeline(question.selectionFrom(start), groupBy, step * 1_000_000, most);
    List<TimeSeries> kept = new ArrayList<>(all);
    // The store sums up the series beyond the limit; Pyroscope leaves them out.
    if (limit > 0 && kept.size() > limit) {
      kept.subList((int) limit, kept.size()).clear();
    }
    kept.sort(Comparator.comparing(series -> series.labels().values().toString()));
    return kept;
  }

  /** A point has the timestamp of its step's end; steps without a value have no point. */
  private static boolean points(TimeSeries series, long startMillis, long step, ProtoOut out) {
    boolean any = false;
    for (int i = 0; i < series.values().length; i++) {
      double value = series.values()[i];
      if (value != 0) {
        long time = startMillis + (i + 1) * step;
        out.message(
            PyroscopeFields.SERIES_POINT,
            new ProtoOut()
                .real(PyroscopeFields.POINT_VALUE, value)
                .number(PyroscopeFields.POINT_TIME, time));
        any = true;
      }
    }
    return any;
  }
}
