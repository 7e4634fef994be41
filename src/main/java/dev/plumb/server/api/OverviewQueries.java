package dev.plumb.server.api;

import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.export.wire.Json;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.Heatmap;
import dev.plumb.store.History;
import dev.plumb.store.ProcessSummary;
import dev.plumb.store.Selection;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Answers the queries of the page's upper part, and {@code processes} and {@code quality}. */
final class OverviewQueries {
  private static final int MOST_VALUES = 2_000;
  private static final int MOST_STEPS = 5_000;
  private static final long LONGEST_RECORDING = 10_000_000_000L;

  private final History history;
  private final ServerInfo about;
  private final CachedLookup<There> there;

  /** What the store contains. */
  private record There(Optional<TimeRange> span, List<ProfileType> types) {}

  OverviewQueries(History history, ServerInfo about) {
    this.history = history;
    this.about = about;
    this.there = new CachedLookup<>(() -> new There(history.span(), history.types(TimeRange.ALL)));
  }

  void state(Json json, ApiParameters asked) {
    json.key("host").value(about.host()).key("version").value(about.version());
    json.key("live").value(about.live().getAsBoolean());
    json.key("now").value(System.currentTimeMillis());
    There now = there.get();
    now.span()
        .ifPresent(
            span -> {
              json.key("span").open('{');
              json.key("from").value(millis(span.fromNanos()));
              json.key("to").value(millis(span.toNanos())).close('}');
            });
    ServerCost.put(json);
    json.key("types").open('[');
    for (ProfileType type : now.types()) {
      json.open('{').key("id").value(type.id()).key("name").value(type.name());
      json.key("sample").value(type.sampleType()).key("unit").value(type.sampleUnit());
      json.key("sampled").value(!type.periodType().isEmpty()).close('}');
    }
    json.close(']');
    json.key("formats").open('[');
    for (Format format : Formats.all()) {
      json.open('{').key("name").value(format.name()).key("ending").value(format.ending());
      json.key("about").value(format.about()).close('}');
    }
    json.close(']');
  }

  /** The names of labels, or the values of one. */
  void labels(Json json, ApiParameters asked) {
    String name = asked.text("name");
    Set<String> found =
        name.isEmpty()
            ? history.labelNames(asked.selector(), asked.range())
            : history.labelValues(name, asked.selector(), asked.range());
    String part = asked.text("contains").toLowerCase(java.util.Locale.ROOT);
    json.key("name").value(name).key(name.isEmpty() ? "names" : "values").open('[');
    int left = MOST_VALUES;
    boolean more = false;
    for (String value : found) {
      if (!value.toLowerCase(java.util.Locale.ROOT).contains(part)) {
        continue;
      }
      more = left == 0;
      if (more) {
        break;
      }
      json.value(value);
      left--;
    }
    json.close(']').key("more").value(more);
  }

  void timeline(Json json, ApiParameters asked) {
    Selection selection = asked.selection();
    TimeRange range = selection.range();
    long step = asked.number("step", 1000, 1, Integer.MAX_VALUE) * 1_000_000L;
    if ((range.toNanos() - range.fromNanos()) / step > MOST_STEPS) {
      throw Refusal.invalid(
          "%s", "more than %d steps; make 'step' (milliseconds) larger".formatted(MOST_STEPS));
    }
    int limit = asked.number("limit", 10, 1, 100);
    List<TimeSeries> all = history.timeline(selection, asked.words("by"), step, limit);
    json.key("from").value(millis(range.fromNanos())).key("step").value(step / 1_000_000);
    json.key("series").open('[');
    for (TimeSeries series : all) {
      int before = json.length();
      json.open('{').key("labels").open('{');
      series.labels().values().forEach((label, value) -> json.key(label).value(value));
      json.close('}').key("rest").value(series.labels().values().isEmpty() && all.size() > 1);
      json.key("total").value(series.total()).key("values").open('[');
      for (double value : series.values()) {
        number(json, value);
      }
      json.close(']').close('}');
      HeapAllowance.take(3L * (json.length() - before)); // and what it outgrew
    }
    json.close(']');
  }

  void heatmap(Json json, ApiParameters asked) {
    int columns = asked.number("columns", 600, 1, 2_000);
    int rows = asked.number("rows", 50, 1, 100);
    Heatmap map = history.heatmap(asked.selection(), columns, rows);
    json.key("from").value(millis(map.startNanos()));
    json.key("secondsPerColumn").value(map.secondsPerColumn());
    json.key("columns").value(map.columns()).key("rows").value(map.rows());
    json.key("values").open('[');
    for (long value : map.values()) {
      json.value(value);
    }
    json.close(']');
  }

  void processes(Json json, ApiParameters asked) {
    Selection selection = asked.selection();
    ProcessLanguages languages = new ProcessLanguages();
    int limit = asked.number("limit", 200, 1, 10_000);
    if (asked.flag("languages")) {
      languages.add(history.functions(selection));
    }
    json.key("processes").open('[');
    for (ProcessSummary process : history.processes(selection, limit)) {
      json.open('{').key("pid").value(process.pid());
      json.key("start").value(millis(process.startNanos()));
      json.key("comm").value(process.comm()).key("container").value(process.container());
      json.key("cgroup").value(process.cgroup()).key("threads").value(process.threads());
      json.key("language").value(languages.of(process.pid(), process.comm()));
      json.key("value").value(process.value()).key("samples").value(process.samples());
      json.key("cut").value(process.cut()).key("unnamed").value(process.unnamed()).close('}');
    }
    json.close(']');
  }

  void quality(Json json, ApiParameters asked) {
    TimeRange range = asked.range();
    Quality quality = history.quality(asked.type(), range);
    if (quality.samples() == 0) {
      // A recording counts at its start; a short range may lie within one.
      long earlier = Math.max(0, range.fromNanos() - LONGEST_RECORDING);
      quality = history.quality(asked.type(), new TimeRange(earlier, range.toNanos()));
    }
    json.key("samples").value(quality.samples());
    json.key("rateAsked").value(quality.rateAsked()).key("rateHeld").value(quality.rateHeld());
    counts(json, "lost", quality.lost());
    counts(json, "truncated", quality.truncated());
    counts(json, "unnamed", quality.unnamed());
  }

  private static void counts(Json json, String name, Map<String, Long> counts) {
    json.key(name).open('{');
    new TreeMap<>(counts).forEach((reason, count) -> json.key(reason).value(count));
    json.close('}');
  }

  /** Writes whole numbers without a decimal point: most are whole, and there are many. */
  private static void number(Json json, double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      json.value((long) value);
    } else {
      json.value(value);
    }
  }

  static double millis(long nanos) {
    return nanos / 1_000 / 1e3;
  }
}
