package dev.plumb.server.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerInOwnProcess;
import dev.plumb.server.ServerOptions;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.engine.ManyStacks;
import dev.plumb.store.engine.Store;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with little memory answers, or refuses, but does not die. */
class QueryMemoryTest {
  private static final String TYPE = "type=" + ManyStacks.CPU.id();

  private static final List<String> HEAVY =
      List.of(
          "api/tree?" + TYPE,
          "api/table?" + TYPE,
          "api/source?" + TYPE,
          "api/threads",
          "api/diff?" + TYPE + "&query2=%7Bcomm%3D%22p1%22%7D",
          "api/sandwich?function=some::name::of::a::function_1&" + TYPE,
          "api/export?format=folded&" + TYPE,
          "pyroscope/render?from=1699999999&until=1700009999&query="
              + ManyStacks.CPU.id()
              + "%7B%7D");

  @TempDir private Path folder;

  @Test
  void sharesFitIntoTheHeap() {
    for (long megabytes : new long[] {96, 230, 1_228, 20_000}) {
      QueryMemory memory = QueryMemory.of(megabytes << 20, 8);
      long all =
          memory.heavyPlaces() * memory.heavyBytes() + memory.lightPlaces() * memory.lightBytes();
      assertThat(all).isLessThanOrEqualTo((megabytes << 20) / 2);
      assertThat(memory.heavyPlaces()).isGreaterThanOrEqualTo(2);
    }
  }

  /** A million stacks in a heap of 128 MB. */
  @Test
  void manyHeavyQuestionsAtOnce() throws Exception {
    long total;
    try (Store store = Store.open(StoreOptions.of(folder.resolve("store")))) {
      total = ManyStacks.fill(store, 12, 10_000);
    }
    try (ServerInOwnProcess server = ServerInOwnProcess.start(folder, 128);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      List<CompletableFuture<HttpResponse<String>>> heavy = new ArrayList<>();
      for (int i = 0; i < HEAVY.size(); i++) {
        heavy.add(client.sendAsync(request(server, HEAVY.get(i), "heavy" + i % 3), text()));
      }
      long began = System.nanoTime();
      HttpResponse<String> light =
          client.send(request(server, "api/timeline?step=1000&" + TYPE, "light"), text());
      assertThat(light.statusCode()).isEqualTo(200);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
      for (int i = 0; i < HEAVY.size(); i++) {
        HttpResponse<String> answer = heavy.get(i).get(120, TimeUnit.SECONDS);
        assertThat(answer.statusCode()).as(HEAVY.get(i)).isIn(200, 413, 429);
        if (answer.statusCode() == 413) {
          assertThat(answer.body()).contains("shorter time");
        }
      }
      HttpResponse<String> table =
          client.send(request(server, "api/table?" + TYPE, "later"), text());
      assertThat(table.statusCode())
          .as(table.body().substring(0, Math.min(300, table.body().length())))
          .isEqualTo(200);
      assertThat(table.body()).contains("\"sum\":" + total);
      assertThat(server.log()).doesNotContain("OutOfMemory").doesNotContain("a request failed");
    }
  }

  private static HttpRequest request(ServerInOwnProcess server, String path, String who) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/" + path))
        .header("User-Agent", who)
        .timeout(Duration.ofSeconds(120))
        .build();
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }

  /** Waits until it is interrupted. */
  private record Endless(CountDownLatch begun, CountDownLatch withdrawn) implements HttpService {
    @Override
    public void routing(HttpRules rules) {
      rules.get(
          "/api/tree",
          (_, response) -> {
            begun.countDown();
            try {
              Thread.sleep(Duration.ofMinutes(1));
            } catch (InterruptedException e) {
              withdrawn.countDown();
            }
            response.send("done");
          });
    }
  }

  @Test
  void aClientThatLeavesWithdrawsItsQuestion() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch withdrawn = new CountDownLatch(1);
    try (PlumbServer server =
        PlumbServer.start(
            ServerOptions.LOCAL.listen("127.0.0.1:0"),
            new QueryScheduler(),
            List.of(new Endless(begun, withdrawn)))) {
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
        String request = "GET /api/tree HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        // As long as the client is there, nothing happens.
        assertThat(withdrawn.await(2, TimeUnit.SECONDS)).isFalse();
      }
      assertThat(withdrawn.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }
}
