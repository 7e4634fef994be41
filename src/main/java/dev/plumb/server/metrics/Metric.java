package dev.plumb.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One figure for {@code /metrics}, with a value for each set of labels.
 *
 * @param name as Prometheus wants it: base units, {@code _total} at the end of what only grows
 * @param counter whether it only grows
 */
public record Metric(String name, String help, boolean counter, List<Value> values) {
  /** A value and what sets it apart. */
  public record Value(SortedMap<String, String> labels, double value) {}

  public Metric {
    values = List.copyOf(values);
  }

  public static Metric counter(String name, String help, double value) {
    return new Metric(name, help, true, List.of(new Value(new TreeMap<>(), value)));
  }

  public static Metric gauge(String name, String help, double value) {
    return new Metric(name, help, false, List.of(new Value(new TreeMap<>(), value)));
  }

  /** A counter for each value of one label. */
  public static Metric counters(
      String name, String help, String label, Map<String, ? extends Number> values) {
    List<Value> all = new ArrayList<>();
    values.forEach(
        (key, value) -> all.add(new Value(new TreeMap<>(Map.of(label, key)), value.doubleValue())));
    return new Metric(name, help, true, all);
  }
}
