package dev.plumb.server.api;

import dev.plumb.export.FormatException;
import dev.plumb.export.Json;
import dev.plumb.store.History;
import dev.plumb.store.StoreException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The page's questions, each at its own path below {@code /api}. */
public final class Api implements HttpService {
  /** Makes an answer. */
  @FunctionalInterface
  private interface Answer {
    void put(Json json, Asked asked);
  }

  private final History history;
  private final Map<String, Answer> answers = new LinkedHashMap<>();
  private final Exports exports;

  public Api(History history, About about) {
    this.history = history;
    this.exports = new Exports(history, about);
    Overview overview = new Overview(history, about);
    answers.put("state", overview::state);
    answers.put("labels", overview::labels);
    answers.put("timeline", overview::timeline);
    answers.put("heatmap", overview::heatmap);
    answers.put("processes", overview::processes);
    answers.put("quality", overview::quality);
    Graphs graphs = new Graphs(history);
    answers.put("tree", graphs::tree);
    answers.put("table", graphs::table);
    answers.put("sandwich", graphs::sandwich);
    answers.put("diff", graphs::diff);
    Lanes lanes = new Lanes(history);
    answers.put("threads", lanes::threads);
    answers.put("cpus", lanes::cpus);
    answers.put("source", new Sources(history)::source);
  }

  /** The last parts of all paths. */
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
                guarded(
                    (request, response) -> {
                      Json json = new Json().open('{');
                      answer.put(json, new Asked(request.query(), history));
                      Reply.send(request, response, json.close('}'));
                    })));
    rules.get(
        "/api/export",
        guarded(
            (request, response) ->
                exports.send(new Asked(request.query(), history), request, response)));
    rules.any(
        "/api/*",
        guarded(
            (request, response) -> {
              throw new ApiException(
                  404,
                  "not_found",
                  "there is no such question; GET /api/ and one of " + String.join(" ", paths()));
            }));
  }

  private static Handler guarded(Handler handler) {
    return (request, response) -> {
      try {
        handler.handle(request, response);
      } catch (ApiException e) {
        Reply.error(response, e);
      } catch (IllegalArgumentException | FormatException e) {
        Reply.error(response, ApiException.badRequest(e.getMessage()));
      } catch (StoreException e) {
        Reply.error(response, new ApiException(422, "failed_precondition", e.getMessage()));
      }
    };
  }
}
