import dev.plumb.export.wire.ProtoOut;
import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerOptions;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.server.pyroscope.ingest.IngestLimits;
import dev.plumb.server.pyroscope.PyroscopeServices;
import dev.plumb.store.engine.Store;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.engine.Store;
import io.helidon.webserver.http.HttpService;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What a client of Pyroscope's API waits for: pushes of profiles of 150 stacks 25 deep, then each
 * question over all of them. The client is in the same process.
 *
 * <p>{@code java -cp target/plumb.jar bench/PyroscopeBench.java [profiles] [services]}, with the
 * options of {@code ./plumb}.
 */
class PyroscopeBench {
  private static final String CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public static void main(String[] arguments) throws Exception {
    int profiles = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2_000;
    int services = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 30;
    Path folder = Files.createTempDirectory("plumb-bench-");
    QueryScheduler scheduler = new QueryScheduler();
    try (Store store = Store.open(StoreOptions.of(folder))) {
      List<HttpService> parts = new ArrayList<>(PyroscopeServices.queries(store, scheduler));
      parts.addAll(PyroscopeServices.ingest(store, IngestLimits.DEFAULT, scheduler));
      try (PlumbServer server =
          PlumbServer.start(ServerOptions.LOCAL.listen("127.0.0.1:0"), scheduler, parts)) {
        String address = "http://127.0.0.1:" + server.port();
        push(address, profiles, services);
        ask(address);
      }
    }
    System.exit(0);
  }

  private static void push(String address, int profiles, int services) throws Exception {
    Random random = new Random(1);
    double[] millis = new double[profiles];
    long begin = System.nanoTime();
    for (int i = 0; i < profiles; i++) {
      byte[] request = request(random, "service-" + i % services, (profiles - i) * 1_000L);
      long start = System.nanoTime();
      send(address + "/push.v1.PusherService/Push", "application/proto", request);
      millis[i] = (System.nanoTime() - start) / 1e6;
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    Arrays.sort(millis);
    System.out.printf(
        "push: %.0f profiles/s, median %.1f ms, 99 %% %.1f ms, slowest %.1f ms%n",
        profiles / seconds, millis[profiles / 2], millis[profiles * 99 / 100], millis[profiles - 1]);
  }

  /** Stacks are paths in a tree of 2 000 functions. */
  private static byte[] request(Random random, String service, long agoMillis) {
    ProtoOut profile = new ProtoOut();
    profile.message(1, new ProtoOut().number(1, 1).number(2, 2));
    profile.message(11, new ProtoOut().number(1, 1).number(2, 2)).number(12, 10_000_000);
    profile.number(9, (System.currentTimeMillis() - agoMillis % 3_000_000) * 1_000_000);
    for (int i = 0; i < 150; i++) {
      ProtoOut stack = new ProtoOut();
      int leaf = random.nextInt(400);
      for (int depth = 24; depth >= 0; depth--) {
        stack.varint(1 + (leaf >> Math.min(8, (24 - depth) / 3)) + depth * 3);
      }
      profile.message(
          2,
          new ProtoOut().message(1, stack).message(2, new ProtoOut().varint(10_000_000)));
    }
    for (String text : List.of("", "cpu", "nanoseconds")) {
      profile.element(6, text);
    }
    for (int id = 1; id <= 500; id++) {
      profile.message(
          4, new ProtoOut().number(1, id).message(4, new ProtoOut().number(1, id).number(2, id)));
      profile.message(5, new ProtoOut().number(1, id).number(2, id + 2));
      profile.element(6, "package.function" + id);
    }
    ProtoOut series = new ProtoOut();
    for (String[] label :
        new String[][] {{"__name__", "process_cpu"}, {"service_name", service}, {"host", "h1"}}) {
      series.message(1, new ProtoOut().text(1, label[0]).text(2, label[1]));
    }
    series.message(2, new ProtoOut().bytes(1, profile.toBytes()));
    return new ProtoOut().message(1, series).toBytes();
  }

  private static void ask(String address) throws Exception {
    long now = System.currentTimeMillis();
    String range = "\"start\":%d,\"end\":%d".formatted(now - 3_600_000, now);
    String what = "\"profileTypeID\":\"%s\",\"labelSelector\":\"{}\",%s".formatted(CPU, range);
    String one = what.replace("{}", "{service_name=\\\"service-1\\\"}");
    String[][] questions = {
      {"ProfileTypes", "{" + range + "}"},
      {"LabelNames", "{" + range + "}"},
      {"LabelValues", "{\"name\":\"service_name\"," + range + "}"},
      {"Series", "{\"labelNames\":[\"service_name\",\"__profile_type__\"]," + range + "}"},
      {"SelectSeries", "{" + what + ",\"step\":15}"},
      {"SelectSeries", "{" + what + ",\"step\":15,\"groupBy\":[\"service_name\"]}"},
      {"SelectMergeStacktraces", "{" + one + "}"},
      {"SelectMergeStacktraces", "{" + what + "}"},
      {"SelectMergeProfile", "{" + what + "}"},
      {"Diff", "{\"left\":{" + one + "},\"right\":{" + what + "}}"},
    };
    for (String[] question : questions) {
      double[] millis = new double[15];
      int size = 0;
      for (int i = 0; i < millis.length; i++) {
        long start = System.nanoTime();
        size =
            send(
                address + "/querier.v1.QuerierService/" + question[0],
                "application/json",
                question[1].getBytes(StandardCharsets.UTF_8));
        millis[i] = (System.nanoTime() - start) / 1e6;
      }
      Arrays.sort(millis);
      System.out.printf(
          "%-24s median %6.1f ms, slowest %6.1f ms, %d bytes%n",
          question[0], millis[millis.length / 2], millis[millis.length - 1], size);
    }
  }

  private static int send(String address, String type, byte[] body) throws Exception {
    HttpResponse<byte[]> answer =
        CLIENT.send(
            HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(
          answer.statusCode() + " " + new String(answer.body(), StandardCharsets.UTF_8));
    }
    return answer.body().length;
  }
}
