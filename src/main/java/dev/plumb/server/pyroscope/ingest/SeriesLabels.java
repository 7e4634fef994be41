package dev.plumb.server.pyroscope.ingest;

import dev.plumb.profile.Labels;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.MetaLabels;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The labels of a pushed profile, with Pyroscope's checks and error messages. */
public final class SeriesLabels {
  private static final int MAX_NAME = 1024;
  private static final int MAX_VALUE = 2048;
  private static final String NO_SERVICE = "unspecified";

  private final SortedMap<String, String> labels = new TreeMap<>();
  private String name = "";

  /** Adds a label; names that begin with two underscores belong to the server. */
  public SeriesLabels add(String label, String value) {
    if (label.equals("__name__")) {
      name = value;
      return this;
    }
    String clean = clean(label);
    if (label.length() > MAX_NAME) {
      throw refused("profile with labels '%s' has label name too long: '%s'", label, MAX_NAME);
    }
    if (value.length() > MAX_VALUE) {
      throw refused("profile with labels '%s' has label value too long: '%s'", value, MAX_VALUE);
    }
    if (clean.isEmpty() || Character.isDigit(clean.charAt(0))) {
      throw Refusal.invalid("invalid labels '%s' with error: invalid label name '%s'", this, label);
    }
    if (!clean.startsWith("__") && !value.isEmpty()) {
      if (labels.containsKey(clean)) {
        throw Refusal.invalid(
            "profile with labels '%s' has duplicate label name: '%s'", this, clean);
      }
      labels.put(clean, value);
    }
    return this;
  }

  private Refusal refused(String format, String what, int max) {
    return Refusal.invalid(format, this, what.substring(0, Math.min(what.length(), max)));
  }

  /** Replaces characters that no selector can name by underscores, as in {@code service.name}. */
  private static String clean(String label) {
    StringBuilder result = new StringBuilder(label.length());
    for (int i = 0; i < label.length(); i++) {
      char c = label.charAt(i);
      boolean good = c == '_' || c < 128 && Character.isLetterOrDigit(c);
      result.append(good ? c : '_');
    }
    return result.toString();
  }

  public boolean has(String label) {
    return labels.containsKey(label);
  }

  public SeriesLabels name(String profileName) {
    name = profileName;
    return this;
  }

  public String name() {
    return name;
  }

  Labels checked(IngestLimits limits) {
    if (labels.isEmpty() && name.isEmpty()) {
      throw Refusal.invalid("error at least one label pair is required per profile");
    }
    if (!name.matches("[a-zA-Z_][a-zA-Z0-9_]*")) {
      throw Refusal.invalid("invalid labels '%s' with error: invalid metric name", this);
    }
    labels.putIfAbsent(MetaLabels.SERVICE, NO_SERVICE);
    // The name counts too.
    if (labels.size() + 1 > limits.maxLabels()) {
      throw Refusal.invalid(
          "profile series '%s' has %d label names; limit %d",
          this, labels.size() + 1, limits.maxLabels());
    }
    return new Labels(labels);
  }

  /** Name and labels in full; {@link #toString} cuts them for messages. */
  String whole() {
    return name + labels;
  }

  /** As Pyroscope shows labels. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    if (!name.isEmpty()) {
      text.append("__name__=\"").append(cut(name)).append('"');
    }
    for (Map.Entry<String, String> label : labels.entrySet()) {
      text.append(text.length() > 1 ? ", " : "");
      text.append(label.getKey()).append("=\"").append(cut(label.getValue())).append('"');
      if (text.length() > 2_000) {
        return text.append(", …}").toString();
      }
    }
    return text.append('}').toString();
  }

  private static String cut(String text) {
    return text.length() > 200 ? text.substring(0, 200) + "…" : text;
  }
}
