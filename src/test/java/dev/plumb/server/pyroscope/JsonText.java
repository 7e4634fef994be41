package dev.plumb.server.pyroscope;

import dev.plumb.export.wire.Json;
import java.util.List;
import java.util.Map;

/** What a test has read, as text again. */
final class JsonText {
  private final Json json = new Json();

  static String of(Object value) {
    JsonText text = new JsonText();
    text.write(value);
    return text.json.toString();
  }

  private void write(Object value) {
    switch (value) {
      case Map<?, ?> members -> {
        json.open('{');
        members.forEach(
            (name, member) -> {
              json.key((String) name);
              write(member);
            });
        json.close('}');
      }
      case List<?> elements -> {
        json.open('[');
        elements.forEach(this::write);
        json.close(']');
      }
      case String string -> json.value(string);
      case Double number when number == Math.rint(number) -> json.value(number.longValue());
      case Double number -> json.value(number);
      case Boolean truth -> json.value(truth);
      default -> json.nothing();
    }
  }
}
