package dev.plumb.server;

import dev.plumb.store.StoreException;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpException;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What goes wrong, as answers: all of one form, {@code {"code": …, "message": …}}. */
final class ErrorAnswers {
  private static final Logger LOG = Logger.getLogger("dev.plumb.server");

  private final Traffic traffic;

  ErrorAnswers(Traffic traffic) {
    this.traffic = traffic;
  }

  void register(HttpRouting.Builder routing) {
    routing.error(Refusal.class, (_, response, e) -> answer(response, e.code(), e));
    routing.error(
        IllegalArgumentException.class,
        (_, response, e) -> answer(response, Code.INVALID_ARGUMENT, e));
    routing.error(StoreException.class, (_, response, e) -> answer(response, Code.of(e), e));
    routing.error(
        HttpException.class,
        (_, response, e) -> answer(response, Code.ofStatus(e.status().code()), e));
    routing.error(
        RequestException.class,
        (_, response, e) -> answer(response, Code.ofStatus(e.status().code()), e));
    routing.error(
        Throwable.class,
        (_, response, e) -> {
          LOG.log(Level.SEVERE, "a request failed", e);
          answer(response, Code.INTERNAL, e);
        });
  }

  void answer(ServerResponse response, Code code, Throwable e) {
    traffic.counters().refusal(code);
    if (response.isSent()) {
      return;
    }
    response.status(Status.create(code.http()));
    if (code == Code.BUSY || code == Code.UNAVAILABLE) {
      response.header(HeaderNames.RETRY_AFTER, Long.toString(traffic.turns().retryAfterSeconds()));
    } else if (code == Code.UNAVAILABLE) {
      response.header(HeaderNames.RETRY_AFTER, Refusal.UNAVAILABLE_SECONDS);
    }
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    response
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .send(Refusal.json(code, message).getBytes(StandardCharsets.UTF_8));
  }
}
