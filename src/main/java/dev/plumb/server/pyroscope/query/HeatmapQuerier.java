package dev.plumb.server.pyroscope.query;

import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Labels;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.PyroscopeFields;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.TimeSeries;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * querier.v1.QuerierService/SelectHeatmap: how many profiles had how much, over time. Plumb keeps
 * no single profiles; what a series had in up to 15 seconds, as long as clients' profiles are,
 * counts as one.
 */
public final class HeatmapQuerier {
  private static final int SPANS = 2;
  private static final int ROWS = 20;
  private static final long PROFILE_MILLIS = 15_000;

  /** Of all series together; each is a number. */
  private static final long MAX_PROFILES = 2_000_000;

  private final History history;

  public HeatmapQuerier(History history) {
    this.history = history;
  }

  /** Reads the request. */
  private static final class Reader extends SelectRequest.Reader {
    private int queryType;

    @Override
    void other(ProtoIn in) {
      switch (in.field()) {
        case PyroscopeFields.HEATMAP_STEP -> step = in.real();
        case PyroscopeFields.HEATMAP_GROUP_BY -> groupBy.add(in.string());
        case PyroscopeFields.HEATMAP_QUERY_TYPE -> queryType = (int) in.number();
        case PyroscopeFields.HEATMAP_LIMIT -> limit = in.number();
        default -> {}
      }
    }
  }

  public byte[] select(byte[] request) {
    Reader reader = new Reader();
    reader.read(new ProtoIn(request));
    SelectRequest question = reader.question();
    if (!(reader.step > 0) || reader.step > 1e9) {
      throw Refusal.invalid("step must be non-zero");
    }
    if (reader.queryType == SPANS) {
      return new byte[0]; // there are none
    }
    long step = Math.max(1, (long) (reader.step * 1000));
    return encode(cells(question, reader, step), question.startMillis(), step);
  }

  /** What each series had, by the labels that are asked for. */
  private record Row(Labels labels, List<double[]> series, double total) {}

  /**
   * @param perSlot how many profiles of a series a slot has
   */
  private record Cells(List<Row> rows, int perSlot) {}

  private Cells cells(SelectRequest question, Reader reader, long step) {
    TreeSet<String> names = new TreeSet<>(SelectRequest.checkCount(reader.groupBy, "labels"));
    Selection selection = question.selection();
    List<Labels> sets = history.series(List.of(selection.selector()), List.of(), selection.range());
    sets.forEach(labels -> names.addAll(labels.values().keySet()));
    long length = (selection.range().toNanos() - selection.range().fromNanos()) / 1_000_000;
    int perSlot = profilesOf(step);
    if (length / step * perSlot * sets.size() > MAX_PROFILES) {
      perSlot = 1;
    }
    if (length / step * sets.size() > MAX_PROFILES) {
      throw new Refusal(
          ErrorCode.TOO_LARGE,
          "too many steps of too many series: choose a longer step or a label");
    }
    Map<Labels, List<double[]>> groups =
        new TreeMap<>(Comparator.comparing(l -> l.values().toString()));
    for (TimeSeries one :
        history.timeline(selection, List.copyOf(names), step / perSlot * 1_000_000, 0)) {
      groups
          .computeIfAbsent(cut(one.labels(), reader.groupBy), l -> new ArrayList<>())
          .add(one.values());
    }
    List<Row> rows = new ArrayList<>();
    groups.forEach((labels, series) -> rows.add(new Row(labels, series, total(series))));
    if (reader.limit > 0 && reader.limit < rows.size()) {
      rows.sort(Comparator.comparingDouble(Row::total).reversed());
      rows.subList((int) reader.limit, rows.size()).clear();
    }
    return new Cells(rows, perSlot);
  }

  /** As many as make a step, of whole seconds if that can be. */
  private static int profilesOf(long step) {
    for (long millis = PROFILE_MILLIS; millis >= 1000; millis -= 1000) {
      if (step % millis == 0) {
        return (int) Math.min(Integer.MAX_VALUE, step / millis);
      }
    }
    return 1;
  }

  private static Labels cut(Labels labels, List<String> names) {
    SortedMap<String, String> kept = new TreeMap<>(labels.values());
    kept.keySet().retainAll(names);
    return new Labels(kept);
  }

  private static double total(List<double[]> series) {
    double sum = 0;
    for (double[] values : series) {
      for (double value : values) {
        sum += value;
      }
    }
    return sum;
  }

  private static byte[] encode(Cells cells, long startMillis, long step) {
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Row row : cells.rows()) {
      for (double[] values : row.series()) {
        for (double value : values) {
          least = value > 0 ? Math.min(least, value) : least;
          most = Math.max(most, value);
        }
      }
    }
    ProtoOut out = new ProtoOut();
    double height = (most - least) / ROWS;
    for (Row row : cells.rows()) {
      ProtoOut series = LabelQuerier.labels(row.labels().values());
      if (slots(row, cells.perSlot(), least, height, startMillis, step, series)) {
        out.message(PyroscopeFields.HEATMAP_SERIES, series);
      }
    }
    return out.toBytes();
  }

  /** Slots in which there is nothing are left out; the last row has the largest too. */
  private static boolean slots(
      Row row,
      int perSlot,
      double least,
      double height,
      long startMillis,
      long step,
      ProtoOut out) {
    TreeMap<Integer, int[]> slots = new TreeMap<>();
    for (double[] values : row.series()) {
      for (int i = 0; i < values.length; i++) {
        if (values[i] > 0) {
          int at = height > 0 ? (int) ((values[i] - least) / height) : ROWS - 1;
          slots.computeIfAbsent(i / perSlot, s -> new int[ROWS])[Math.min(at, ROWS - 1)]++;
        }
      }
    }
    slots.forEach(
        (slot, counts) -> {
          ProtoOut floors = new ProtoOut();
          ProtoOut numbers = new ProtoOut();
          for (int i = 0; i < ROWS; i++) {
            floors.fixed64(Double.doubleToRawLongBits(least + i * height));
            numbers.varint(counts[i]);
          }
          out.message(
              PyroscopeFields.HEATMAP_SERIES_SLOT,
              new ProtoOut()
                  .number(PyroscopeFields.SLOT_TIME, startMillis + (slot + 1L) * step)
                  .message(PyroscopeFields.SLOT_Y_MIN, floors)
                  .message(PyroscopeFields.SLOT_COUNTS, numbers));
        });
    return !slots.isEmpty();
  }
}
