package dev.plumb.server.pyroscope.ingest;

import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.MetaLabels;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The {@code name} parameter of {@code /ingest}: {@code app.type{key=value,other=value}}. This is
 * not the grammar of selectors: values need no quotes, and there are no operators.
 */
record AppName(String app, Map<String, String> labels) {
  static AppName parse(String text) {
    int brace = text.indexOf('{');
    String app = (brace < 0 ? text : text.substring(0, brace)).strip();
    if (app.isEmpty()) {
      throw Refusal.invalid(
          "\"name\" is required, the application's name, e.g. app.cpu{region=eu}");
    }
    Map<String, String> labels = new LinkedHashMap<>();
    if (brace >= 0) {
      int end = text.lastIndexOf('}');
      if (end < brace) {
        throw Refusal.invalid("\"name\" has no closing brace");
      }
      for (String pair : text.substring(brace + 1, end).split(",")) {
        int equals = pair.indexOf('=');
        if (pair.isBlank()) {
          continue;
        }
        if (equals <= 0) {
          throw Refusal.invalid("\"name\" has a label without a value: '%s'", pair.strip());
        }
        String value = pair.substring(equals + 1).strip();
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        labels.put(
            pair.substring(0, equals).strip(),
            quoted ? value.substring(1, value.length() - 1) : value);
      }
    }
    return new AppName(app, labels);
  }

  /** The part after the last dot; {@code cpu} if there is no dot. */
  String type() {
    int dot = app.lastIndexOf('.');
    return dot < 0 ? "cpu" : app.substring(dot + 1);
  }

  String withoutType() {
    int dot = app.lastIndexOf('.');
    return dot < 0 ? app : app.substring(0, dot);
  }

  /** Labels for a profile of this application. */
  SeriesLabels series(String service, String spyName) {
    SeriesLabels series = new SeriesLabels();
    labels.forEach(series::add);
    if (series.has(MetaLabels.SERVICE)) {
      if (!series.has("app_name")) {
        series.add("app_name", service);
      }
    } else {
      series.add(MetaLabels.SERVICE, service);
    }
    if (!spyName.isEmpty() && !series.has("pyroscope_spy")) {
      series.add("pyroscope_spy", spyName);
    }
    return series;
  }
}
