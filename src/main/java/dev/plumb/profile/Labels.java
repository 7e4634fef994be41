package dev.plumb.profile;

import java.util.SortedMap;
import java.util.TreeMap;

/** Names and values that distinguish rows, e.g. {@code reason=futex}. */
public record Labels(SortedMap<String, String> values) {
  public static final Labels NONE = new Labels(new TreeMap<>());

  public Labels {
    values = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(values));
  }

  /** {@code Labels.of("reason", "futex", "state", "S")}. */
  public static Labels of(String... namesAndValues) {
    TreeMap<String, String> map = new TreeMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return new Labels(map);
  }

  public Labels with(String name, String value) {
    TreeMap<String, String> map = new TreeMap<>(values);
    map.put(name, value);
    return new Labels(map);
  }
}
