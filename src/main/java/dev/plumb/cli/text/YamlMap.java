package dev.plumb.cli.text;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * A mapping in a YAML file, read key by key. A value of the wrong kind, or a key that nobody reads,
 * is an IllegalArgumentException that names its place.
 */
public final class YamlMap {
  private static final int MAX_CHARACTERS = 1 << 20;

  private final String place;
  private final Map<?, ?> values;
  private final Set<String> asked = new HashSet<>();

  private YamlMap(String place, Map<?, ?> values) {
    this.place = place;
    this.values = values;
  }

  /** Parses a text; an empty text is an empty mapping. */
  public static YamlMap parse(String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(MAX_CHARACTERS)
            .setMaxAliasesForCollections(0)
            .setAllowDuplicateKeys(false)
            .build();
    Object root;
    try {
      root = new Load(settings).loadFromString(text);
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException("invalid YAML: " + e.getMessage().strip(), e);
    }
    if (root == null) {
      return new YamlMap("", Map.of());
    }
    if (!(root instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("must be keys and values, such as `hertz: 97`");
    }
    return new YamlMap("", map);
  }

  public String text(String key, String otherwise) {
    Object value = value(key);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Map || value instanceof List) {
      throw wrong(key, "a string");
    }
    return value.toString();
  }

  /** A value read from text; {@code read} fails with an exception that says what is expected. */
  public <T> T read(String key, T otherwise, Function<String, T> read) {
    String text = text(key, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      return read.apply(text);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(path(key) + ": " + e.getMessage(), e);
    }
  }

  public int number(String key, int otherwise) {
    Object value = value(key);
    if (value == null) {
      return otherwise;
    }
    if (!(value instanceof Integer number)) {
      throw wrong(key, "a whole number");
    }
    return number;
  }

  public boolean flag(String key) {
    Object value = value(key);
    if (value != null && !(value instanceof Boolean)) {
      throw wrong(key, "true or false");
    }
    return Boolean.TRUE.equals(value);
  }

  public List<String> texts(String key) {
    Object value = value(key);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof List<?> list)) {
      throw wrong(key, "a list, such as [cpu, offcpu]");
    }
    return list.stream().map(String::valueOf).toList();
  }

  public YamlMap map(String key) {
    return asMap(path(key), value(key));
  }

  public List<YamlMap> maps(String key) {
    Object value = value(key);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof List<?> list)) {
      throw wrong(key, "a list, each entry with a dash before it");
    }
    List<YamlMap> maps = new ArrayList<>();
    for (Object entry : list) {
      maps.add(asMap("%s[%d]".formatted(path(key), maps.size() + 1), entry));
    }
    return maps;
  }

  /** All of a mapping from names to texts. */
  public TreeMap<String, String> textMap(String key) {
    YamlMap map = map(key);
    TreeMap<String, String> texts = new TreeMap<>();
    map.values.keySet().forEach(name -> texts.put(name.toString(), map.text(name.toString(), "")));
    return texts;
  }

  private static YamlMap asMap(String at, Object value) {
    if (value == null) {
      return new YamlMap(at, Map.of());
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(at + ": must have keys and values below it");
    }
    return new YamlMap(at, map);
  }

  /** Fails if there is a key that was not read. */
  public void requireAllAsked() {
    for (Object key : values.keySet()) {
      if (!asked.contains(key.toString())) {
        throw new IllegalArgumentException(
            "%s: no such setting; the settings are %s"
                .formatted(
                    path(key.toString()), String.join(", ", new java.util.TreeSet<>(asked))));
      }
    }
  }

  private Object value(String key) {
    asked.add(key);
    return values.get(key);
  }

  private String path(String key) {
    return place.isEmpty() ? key : place + "." + key;
  }

  private IllegalArgumentException wrong(String key, String wanted) {
    return new IllegalArgumentException(path(key) + ": must be " + wanted);
  }
}
