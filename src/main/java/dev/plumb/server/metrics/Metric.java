package dev.plumb.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A metric for {@code /metrics}, with one value per set of labels.
 *
 * @param name by Prometheus's rules: base units, and {@code _total} at the end of a counter's name
 * @param counter whether the values only grow
 */
public record Metric(String name, String help, boolean counter, List<Value> values) {
  /** A value and its labels. */
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

  /** A counter with one value per value of a label. */
  public static Metric counters(
      String name, String help, String label, Map<String, ? extends Number> values) {
    List<Value> all = new ArrayList<>();
    values.forEach(
        (key, value) -> all.add(new Value(new TreeMap<>(Map.of(label, key)), value.doubleValue())));
    return new Metric(name, help, true, all);
  }
}
