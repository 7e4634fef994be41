package dev.plumb.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.schedule.FairScheduler;
import dev.plumb.server.schedule.QueryMemory;
import dev.plumb.server.schedule.QueryScheduler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BusyServerTest {
  /** Answers when it may. */
  private record Slow(CountDownLatch end) implements HttpService {
    @Override
    public void routing(HttpRules rules) {
      rules.get(
          "/api/slow",
          (_, response) -> {
            end.await(20, TimeUnit.SECONDS);
            response.send("done");
          });
    }
  }

  @Test
  void whoComesTooOftenIsToldWhenToComeAgain() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    FairScheduler turns = new FairScheduler(4, 3, Duration.ofMillis(300));
    QueryScheduler scheduler = new QueryScheduler(QueryMemory.ofMachine(), turns, turns);
    try (PlumbServer server =
            PlumbServer.start(
                ServerOptions.LOCAL.listen("127.0.0.1:0"), scheduler, List.of(new Slow(end)));
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      List<CompletableFuture<HttpResponse<String>>> greedy = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        greedy.add(client.sendAsync(request(server, "greedy"), text()));
      }
      // Two of the places are left for others, and what is not heavy needs none.
      CompletableFuture<HttpResponse<String>> modest =
          client.sendAsync(request(server, "modest"), text());
      HttpRequest ready = HttpRequest.newBuilder(URI.create(server.address() + "ready")).build();
      assertThat(client.send(ready, text()).statusCode()).isEqualTo(200);
      List<HttpResponse<String>> refused = new ArrayList<>();
      while (refused.size() < 10) {
        refused =
            new ArrayList<>(
                greedy.stream().filter(CompletableFuture::isDone).map(c -> c.join()).toList());
        Thread.sleep(5);
      }
      assertThat(refused)
          .allSatisfy(
              answer -> {
                assertThat(answer.statusCode()).isEqualTo(429);
                assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                assertThat(answer.body()).contains("\"code\":\"resource_exhausted\"");
              });
      end.countDown();
      assertThat(modest.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(greedy.stream().map(c -> c.join().statusCode()).filter(s -> s == 200)).hasSize(2);
    }
  }

  private static HttpRequest request(PlumbServer server, String who) {
    return HttpRequest.newBuilder(URI.create(server.address() + "api/slow"))
        .header("User-Agent", who)
        .build();
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }
}
