package dev.plumb.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.StoreException;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorResponsesTest {
  /** Fails in three ways. */
  private record Failing() implements HttpService {
    @Override
    public void routing(HttpRules rules) {
      rules.get(
          "/full",
          (_, _) -> {
            throw new StoreException("the disk is full");
          });
      rules.get(
          "/busy",
          (_, _) -> {
            throw new Refusal(ErrorCode.BUSY, "too many");
          });
      rules.get(
          "/wrong",
          (_, _) -> {
            throw Refusal.invalid("no such thing");
          });
    }
  }

  @Test
  void saysWhenToRetry() throws Exception {
    QueryScheduler scheduler = new QueryScheduler();
    try (PlumbServer server =
            PlumbServer.start(
                ServerOptions.LOCAL.listen("127.0.0.1:0"), scheduler, List.of(new Failing()));
        HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> full = get(client, server, "full");
      assertThat(full.statusCode()).isEqualTo(503);
      assertThat(full.headers().firstValue("Retry-After")).contains(Refusal.UNAVAILABLE_SECONDS);
      HttpResponse<String> busy = get(client, server, "busy");
      assertThat(busy.statusCode()).isEqualTo(429);
      assertThat(busy.headers().firstValue("Retry-After"))
          .contains(Long.toString(scheduler.retryAfterSeconds()));
      HttpResponse<String> wrong = get(client, server, "wrong");
      assertThat(wrong.statusCode()).isEqualTo(400);
      assertThat(wrong.headers().firstValue("Retry-After")).isEmpty();
    }
  }

  private static HttpResponse<String> get(HttpClient client, PlumbServer server, String path)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(server.address() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
