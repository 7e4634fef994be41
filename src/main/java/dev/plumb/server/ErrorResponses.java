package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.schedule.QueryScheduler;
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

/** Turns exceptions into responses, all of one form: {@code {"code": …, "message": …}}. */
final class ErrorResponses {
  private static final Logger LOG = Logger.getLogger("dev.plumb.server");

  private final QueryScheduler scheduler;

  ErrorResponses(QueryScheduler scheduler) {
    this.scheduler = scheduler;
  }

  void register(HttpRouting.Builder routing) {
    routing.error(Refusal.class, (_, response, e) -> answer(response, e.code(), e));
    routing.error(
        IllegalArgumentException.class,
        (_, response, e) -> answer(response, ErrorCode.INVALID_ARGUMENT, e));
    routing.error(StoreException.class, (_, response, e) -> answer(response, ErrorCode.of(e), e));
    routing.error(
        HttpException.class,
        (_, response, e) -> answer(response, ErrorCode.ofStatus(e.status().code()), e));
    routing.error(
        RequestException.class,
        (_, response, e) -> answer(response, ErrorCode.ofStatus(e.status().code()), e));
    routing.error(
        Throwable.class,
        (_, response, e) -> {
          LOG.log(Level.SEVERE, "a request failed", e);
          answer(response, ErrorCode.INTERNAL, e);
        });
  }

  void answer(ServerResponse response, ErrorCode code, Throwable e) {
    scheduler.counters().refusal(code);
    if (response.isSent()) {
      return;
    }
    response.status(Status.create(code.http()));
    if (code == ErrorCode.BUSY) {
      response.header(HeaderNames.RETRY_AFTER, Long.toString(scheduler.retryAfterSeconds()));
    } else if (code == ErrorCode.UNAVAILABLE) {
      response.header(HeaderNames.RETRY_AFTER, Refusal.UNAVAILABLE_SECONDS);
    }
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    response
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .send(Refusal.json(code, message).getBytes(StandardCharsets.UTF_8));
  }
}
