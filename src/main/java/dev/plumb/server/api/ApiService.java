package dev.plumb.server.api;

import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.Json;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The page's queries, each at its own path below {@code /api}. */
public final class ApiService implements HttpService {
  /** Makes an answer. */
  @FunctionalInterface
  private interface Answer {
    void put(Json json, ApiParameters asked);
  }

  private final History history;
  private final Map<String, Answer> answers = new LinkedHashMap<>();
  private final ExportDownload exports;

  public ApiService(History history, ServerInfo about) {
    this.history = history;
    this.exports = new ExportDownload(history, about);
    OverviewQueries overview = new OverviewQueries(history, about);
    answers.put("state", overview::state);
    answers.put("labels", overview::labels);
    answers.put("timeline", overview::timeline);
    answers.put("heatmap", overview::heatmap);
    answers.put("processes", overview::processes);
    answers.put("quality", overview::quality);
    GraphQueries graphs = new GraphQueries(history);
    answers.put("tree", graphs::tree);
    answers.put("table", graphs::table);
    answers.put("sandwich", graphs::sandwich);
    answers.put("diff", graphs::diff);
    LaneQueries lanes = new LaneQueries(history);
    answers.put("threads", lanes::threads);
    answers.put("cpus", lanes::cpus);
    answers.put("source", new SourceQueries(history)::source);
  }

  /** The last segments of all paths. */
  Set<String> paths() {
    Map<String, Answer> all = new LinkedHashMap<>(answers);
    all.put("export", (json, asked) -> {});
    return all.keySet();
  }

  @Override
  public void routing(HttpRules rules) {
    answers.forEach(
        (name, answer) ->
            rules.get(
                "/api/" + name,
                (request, response) -> {
                  Json json = made(answer, new ApiParameters(request.query(), history));
                  JsonResponse.send(request, response, json);
                }));
    rules.get(
        "/api/export",
        (request, response) -> exports.send(new ApiParameters(request.query(), history), response));
    rules.any(
        "/api/*",
        (request, response) -> {
          throw new Refusal(
              ErrorCode.NOT_FOUND,
              "there is no such query; GET /api/ and one of " + String.join(" ", paths()));
        });
  }

  private static Json made(Answer answer, ApiParameters asked) {
    Json json = new Json().open('{');
    try {
      answer.put(json, asked);
    } catch (FormatException e) {
      throw new Refusal(ErrorCode.INVALID_ARGUMENT, e.getMessage());
    }
    return json.close('}');
  }
}
