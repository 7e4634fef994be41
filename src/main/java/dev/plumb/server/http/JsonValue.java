package dev.plumb.server.http;

import java.util.List;
import java.util.Map;

/** A parsed JSON value. */
public sealed interface JsonValue {
  /** {@code {"name": value, …}}; if a name occurs twice, the last value counts. */
  record Members(Map<String, JsonValue> values) implements JsonValue {}

  /** {@code [value, …]}. */
  record Elements(List<JsonValue> values) implements JsonValue {}

  /** A string. */
  record Text(String value) implements JsonValue {}

  /** A number, as it was written. */
  record Numeral(String text) implements JsonValue {}

  /** {@code true} or {@code false}. */
  record Truth(boolean value) implements JsonValue {}

  /** {@code null}. */
  record Nothing() implements JsonValue {}

  /** Parses a text; throws {@link Refusal} if it is not JSON. */
  static JsonValue parse(String text) {
    return new JsonParser(text).parse();
  }
}
