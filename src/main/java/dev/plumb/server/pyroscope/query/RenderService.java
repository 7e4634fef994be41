package dev.plumb.server.pyroscope.query;

import dev.plumb.export.wire.Json;
import dev.plumb.profile.ProfileType;
import dev.plumb.server.http.GzipResponse;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.TimeParameter;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.History;
import dev.plumb.store.Matcher;
import dev.plumb.store.TimeSeries;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** {@code /pyroscope/render} and {@code /pyroscope/render-diff}, Pyroscope's older query API. */
public final class RenderService implements HttpService {
  private static final Set<String> OBJECTS =
      Set.of("inuse_objects", "alloc_objects", "goroutine", "goroutines", "samples");

  /** A timeline has about this many points at most, with at least this distance. */
  private static final long POINTS = 1_500;

  private static final long CLOSEST_SECONDS = 15;
  private static final int MAX_GROUPS = 100;

  private final ProfileQuerier querier;
  private final History history;
  private final QueryScheduler scheduler;

  public RenderService(ProfileQuerier querier, History history, QueryScheduler scheduler) {
    this.querier = querier;
    this.history = history;
    this.scheduler = scheduler;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.get("/pyroscope/render", this::render);
    rules.get("/pyroscope/render-diff", this::renderDiff);
  }

  private void render(ServerRequest request, ServerResponse response) {
    SelectRequest question = question(request, "query", "from", "until");
    long nodes = nodes(request);
    List<String> groupBy =
        SelectRequest.checkCount(request.query().all("groupBy", List::of), "labels");
    boolean dot = request.query().first("format").orElse("json").equals("dot");
    String answer =
        scheduler.run(
            request,
            () -> {
              NameTree tree = querier.tree(question.selection());
              return dot
                  ? DotGraph.of(tree, question.type(), nodes)
                  : single(question, FlameGraph.of(tree, nodes), groupBy);
            });
    response.header(
        HeaderNames.CONTENT_TYPE, dot ? "text/plain; charset=utf-8" : "application/json");
    GzipResponse.send(request, response, answer.getBytes(StandardCharsets.UTF_8));
  }

  private void renderDiff(ServerRequest request, ServerResponse response) {
    SelectRequest left = question(request, "leftQuery", "leftFrom", "leftUntil");
    SelectRequest right = question(request, "rightQuery", "rightFrom", "rightUntil");
    long nodes = nodes(request);
    FlameGraph graph =
        scheduler.run(
            request, () -> FlameGraph.of(querier.diff(left.selection(), right.selection()), nodes));
    Json json = new Json().open('{');
    flamebearer(json, graph);
    metadata(json, left.type(), "double");
    json.key("timeline").nothing();
    json.key("groups").nothing();
    json.key("heatmap").nothing();
    json.key("leftTicks").value(graph.total(0)).key("rightTicks").value(graph.total(1));
    response.header(HeaderNames.CONTENT_TYPE, "application/json");
    GzipResponse.send(
        request, response, json.close('}').toString().getBytes(StandardCharsets.UTF_8));
  }

  private static long nodes(ServerRequest request) {
    String older = request.query().first("max-nodes").orElse("0");
    String text = request.query().first("maxNodes").orElse(older);
    if (!text.matches("\\d{1,12}")) {
      throw Refusal.invalid("maxNodes must be a number");
    }
    return SelectRequest.checkNodes(Long.parseLong(text));
  }

  private static SelectRequest question(
      ServerRequest request, String query, String from, String to) {
    String text = request.query().first(query).orElse("");
    if (text.isEmpty()) {
      throw Refusal.invalid(
          "\"%s\" is required: name:type:unit:period:unit{label=\"value\"}", query);
    }
    List<Matcher> matchers;
    try {
      matchers = LabelSelector.tail(text);
    } catch (Refusal e) {
      throw Refusal.invalid("failed to parse \"%s\": %s", query, e.getMessage());
    }
    ProfileType type = SelectRequest.parseType(LabelSelector.head(text));
    long now = System.currentTimeMillis();
    long start = TimeParameter.millis(request.query().first(from).orElse("now-1h"), now);
    long end = TimeParameter.millis(request.query().first(to).orElse("now"), now);
    return new SelectRequest(type, matchers, start, end);
  }

  private String single(SelectRequest question, FlameGraph graph, List<String> groupBy) {
    Json json = new Json().open('{');
    flamebearer(json, graph);
    metadata(json, question.type(), "single");
    Timing timing = Timing.of(question);
    json.key("timeline");
    List<TimeSeries> all = sums(question, timing, List.of());
    timeline(json, timing, all.isEmpty() ? new double[0] : all.getFirst().values());
    json.key("groups");
    if (groupBy.isEmpty()) {
      json.nothing();
    } else {
      groups(json, question, timing, groupBy);
    }
    json.key("heatmap").nothing();
    return json.close('}').toString();
  }

  private void groups(Json json, SelectRequest question, Timing timing, List<String> groupBy) {
    json.open('{');
    for (TimeSeries series : sums(question, timing, groupBy)) {
      String name = String.join(",", series.labels().values().values());
      json.key(name.isEmpty() ? "other" : name);
      timeline(json, timing, series.values());
    }
    json.close('}');
  }

  private List<TimeSeries> sums(SelectRequest question, Timing timing, List<String> names) {
    if (timing.count() == 0) {
      return List.of();
    }
    long from = timing.start() * 1_000_000_000L;
    long to = from + timing.count() * timing.step() * 1_000_000_000L;
    return history.timeline(
        question.selection(from, to), names, timing.step() * 1_000_000_000L, MAX_GROUPS);
  }

  /** Seconds. */
  private record Timing(long start, long step, int count) {
    static Timing of(SelectRequest question) {
      long from = question.startMillis() / 1000;
      long until = question.endMillis() / 1000;
      long step = Math.max(CLOSEST_SECONDS, (until - from + POINTS - 1) / POINTS);
      long start = from / step * step;
      return new Timing(start, step, (int) Math.max(0, (until - start) / step));
    }
  }

  private static void timeline(Json json, Timing timing, double[] values) {
    json.open('{').key("startTime").value(timing.start()).key("samples").open('[');
    for (int i = 0; i < timing.count(); i++) {
      json.value(i < values.length ? Math.round(values[i]) : 0);
    }
    json.close(']').key("durationDelta").value(timing.step()).key("watermarks").nothing();
    json.close('}');
  }

  private static void flamebearer(Json json, FlameGraph graph) {
    json.key("version").value(1).key("flamebearer").open('{').key("names").open('[');
    graph.names().forEach(json::value);
    json.close(']').key("levels").open('[');
    for (long[] level : graph.levels()) {
      json.open('[');
      for (long value : level) {
        json.value(value);
      }
      json.close(']');
    }
    json.close(']');
    json.key("numTicks").value(graph.allTotals()).key("maxSelf").value(graph.maxSelf());
    json.close('}');
  }

  private static void metadata(Json json, ProfileType type, String format) {
    boolean cpu = type.sampleType().equals("cpu");
    String units = cpu ? "samples" : type.sampleUnit();
    if (OBJECTS.contains(type.sampleType())) {
      units = "objects";
    }
    json.key("metadata").open('{');
    json.key("format").value(format).key("spyName").value("");
    json.key("sampleRate").value(cpu ? 1_000_000_000 : 100);
    json.key("units").value(units).key("name").value(type.sampleType()).close('}');
  }
}
