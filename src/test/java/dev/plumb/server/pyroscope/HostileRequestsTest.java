package dev.plumb.server.pyroscope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.server.ServerInOwnProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that are damaged, huge or mad, against a server with little memory. */
class HostileRequestsTest {
  private static final int REQUESTS = 10_000;
  private static final int HEAP_MEGABYTES = 96;
  private static final String QUERIER = "/querier.v1.QuerierService/";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();

  /** A request that is good before it is damaged. */
  private record Good(String path, String type, byte[] body) {}

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] profile() {
    return new SmallPprof()
        .type("cpu", "nanoseconds")
        .period("cpu", "nanoseconds", 10_000_000)
        .sample("main;run;foo", new long[] {100}, "thread", "worker")
        .sample("main;gc", new long[] {60})
        .bytes();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private static byte[] query() {
    return new ProtoOut()
        .text(1, "process_cpu:cpu:nanoseconds:cpu:nanoseconds")
        .text(2, "{service_name=~\"a.*\"}")
        .number(3, 1_794_715_364_000L)
        .number(4, 1_794_715_785_000L)
        .real(6, 15)
        .toBytes();
  }

  private static byte[] heatmap() {
    return new ProtoOut()
        .text(1, "process_cpu:cpu:nanoseconds:cpu:nanoseconds")
        .text(2, "{}")
        .number(3, 1_794_715_364_000L)
        .number(4, 1_794_715_785_000L)
        .real(5, 30)
        .text(6, "service_name")
        .number(7, 1)
        .number(9, 3)
        .toBytes();
  }

  private static List<Good> good() throws IOException {
    byte[] push =
        SmallPprof.pushWithId(
            "7c9e6679-7425-40de-944b-e07fc1f90ae7",
            gzip(profile()),
            "__name__",
            "process_cpu",
            "service_name",
            "a");
    byte[] plainPush = SmallPprof.push(profile(), "__name__", "process_cpu", "service_name", "a");
    String multipart =
        "--b\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\nX\r\n--b\r\n"
            + "Content-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n"
            + "{\"cpu\":{\"display-name\":\"cpu\"}}\r\n--b--\r\n";
    String json =
        "{\"profileTypeID\":\"process_cpu:cpu:nanoseconds:cpu:nanoseconds\",\"labelSelector\":"
            + "\"{a=\\\"b\\\"}\",\"start\":\"1794715364000\",\"end\":1794715785000,\"step\":15}";
    String speedscope =
        "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":\"sampled\","
            + "\"samples\":[[0],[0,0]],\"weights\":[1,2]}]}";
    byte[] tree = {0, 0, 1, 4, 'm', 'a', 'i', 'n', 0, 1, 2, 'g', 'o', 9, 0};
    List<Good> good = new ArrayList<>();
    good.add(new Good("/push.v1.PusherService/Push", "application/proto", push));
    good.add(new Good("/push.v1.PusherService/Push", "application/proto", plainPush));
    for (String method :
        List.of(
            "ProfileTypes",
            "LabelNames",
            "LabelValues",
            "Series",
            "SelectSeries",
            "SelectMergeStacktraces",
            "SelectMergeProfile",
            "SelectMergeSpanProfile",
            "SelectHeatmap",
            "Diff")) {
      good.add(new Good(QUERIER + method, "application/proto", query()));
      good.add(new Good(QUERIER + method, "application/json", utf8(json)));
    }
    good.add(new Good(QUERIER + "SelectHeatmap", "application/proto", heatmap()));
    good.add(new Good("/ingest?name=a.cpu", "text/plain", utf8("main;work 7\nmain;idle 8\n")));
    good.add(new Good("/ingest?name=a.cpu&format=lines", "", utf8("main;work\nmain;idle\n")));
    good.add(new Good("/ingest?name=a.cpu&format=tree", "", tree));
    good.add(new Good("/ingest?name=a.cpu&format=trie", "", tree));
    good.add(new Good("/ingest?name=a.cpu&format=speedscope", "", utf8(speedscope)));
    good.add(new Good("/ingest?name=a&format=jfr", "", utf8("FLR\0\0\2\0\0\0\0\0\0\0\0")));
    good.add(new Good("/ingest?name=a", "multipart/form-data; boundary=b", utf8(multipart)));
    good.add(new Good("/v1development/profiles", "application/x-protobuf", otlp()));
    good.add(new Good("/v1development/profiles", "application/json", utf8("{\"dictionary\":{}}")));
    return good;
  }

  private static byte[] otlp() {
    ProtoOut profile =
        new ProtoOut()
            .message(1, new ProtoOut().number(1, 1).number(2, 2))
            .message(2, new ProtoOut().number(1, 1).message(4, new ProtoOut().varint(5)));
    ProtoOut dictionary = new ProtoOut();
    for (String text : List.of("", "cpu", "nanoseconds", "main")) {
      dictionary.element(5, text);
    }
    dictionary.message(3, new ProtoOut()).message(3, new ProtoOut().number(1, 3));
    dictionary.message(2, new ProtoOut());
    dictionary.message(2, new ProtoOut().message(3, new ProtoOut().number(1, 1)));
    dictionary.message(7, new ProtoOut());
    dictionary.message(7, new ProtoOut().message(1, new ProtoOut().varint(1)));
    return new ProtoOut()
        .message(1, new ProtoOut().message(2, new ProtoOut().message(2, profile)))
        .message(2, dictionary)
        .toBytes();
  }

  private static byte[] damaged(byte[] body, Random random) {
    byte[] result = Arrays.copyOf(body, body.length);
    switch (random.nextInt(5)) {
      case 0 -> result = Arrays.copyOf(body, random.nextInt(body.length + 1));
      case 1 -> {
        result = Arrays.copyOf(body, body.length + 20);
        random.nextBytes(result);
      }
      case 2 -> Arrays.fill(result, random.nextInt(body.length + 1), body.length, (byte) 0xff);
      default -> {
        for (int i = random.nextInt(6); i >= 0 && body.length > 0; i--) {
          result[random.nextInt(body.length)] = (byte) random.nextInt();
        }
      }
    }
    return result;
  }

  private int send(int port, Good request) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + request.path()))
            .timeout(Duration.ofSeconds(60))
            .POST(HttpRequest.BodyPublishers.ofByteArray(request.body()));
    if (!request.type().isEmpty()) {
      builder.header("Content-Type", request.type());
    }
    try {
      HttpResponse<byte[]> answer =
          client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
      int status = answer.statusCode();
      statuses.merge(status, 1, Integer::sum);
      assertThat(status)
          .as("%s: %s", request.path(), new String(answer.body(), StandardCharsets.UTF_8))
          .matches(code -> code < 500 || isAskedToComeAgain(answer));
      return status;
    } catch (IOException e) {
      throw new AssertionError(request.path() + " was not answered", e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isAskedToComeAgain(HttpResponse<byte[]> answer) {
    return answer.statusCode() == 503 && answer.headers().firstValue("Retry-After").isPresent();
  }

  @Test
  void noneBreaksTheServer(@TempDir Path folder) throws Exception {
    List<Good> good = good();
    try (ServerInOwnProcess server = ServerInOwnProcess.start(folder, HEAP_MEGABYTES)) {
      for (Good request : good) {
        send(server.port(), request);
      }
      assertThat(statuses.getOrDefault(200, 0)).isGreaterThan(15);
      damagedRequests(server.port(), good);
      for (Good bomb : bombs()) {
        assertThat(send(server.port(), bomb)).as(bomb.path()).isBetween(400, 413);
      }
      assertThat(statuses.get(400)).isGreaterThan(REQUESTS / 4);
      manyLarge(server.port());
      assertThat(server.log()).doesNotContain("OutOfMemory");
      assertThat(server.peakBytes()).isLessThan(450L << 20);
      assertThat(send(server.port(), good.getFirst())).isEqualTo(200);
    }
  }

  private void damagedRequests(int port, List<Good> good) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        Random random = new Random(77 + thread);
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < REQUESTS / 4; i++) {
                    Good request = good.get(random.nextInt(good.size()));
                    send(
                        port,
                        new Good(request.path(), request.type(), damaged(request.body(), random)));
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
  }

  /** More at once than there is memory for: some wait, some are sent away. */
  private void manyLarge(int port) throws Exception {
    byte[] large = new byte[10 << 20];
    Arrays.fill(large, (byte) 'x');
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        running.add(threads.submit(() -> send(port, new Good("/ingest?name=a.cpu", "", large))));
      }
      for (Future<Integer> one : running) {
        assertThat(one.get()).isIn(400, 413, 503);
      }
    }
  }

  /** Small requests that ask for much. */
  private static List<Good> bombs() throws IOException {
    byte[] zeros = gzip(new byte[200 << 20]);
    byte[] packedTwice = gzip(zeros);
    ProtoOut wide = new ProtoOut();
    ProtoOut lines = new ProtoOut().number(1, 1);
    for (int i = 0; i < 60_000; i++) {
      lines.message(4, new ProtoOut().number(1, 1).number(2, i));
    }
    wide.message(1, new ProtoOut().number(1, 1).number(2, 1)).message(4, lines);
    wide.message(5, new ProtoOut().number(1, 1).number(2, 1)).element(6, "").element(6, "f");
    for (int i = 0; i < 10_000; i++) {
      wide.message(
          2,
          new ProtoOut().message(1, new ProtoOut().varint(1)).message(2, new ProtoOut().varint(i)));
    }
    String deep = "[".repeat(500_000);
    byte[] longName = new ProtoOut().varint(Long.MAX_VALUE).varint(1).varint(1).toBytes();
    String[] push = {"__name__", "process_cpu", "service_name", "a"};
    return List.of(
        new Good("/push.v1.PusherService/Push", "application/proto", SmallPprof.push(zeros, push)),
        new Good(
            "/push.v1.PusherService/Push", "application/proto", SmallPprof.push(packedTwice, push)),
        new Good(
            "/push.v1.PusherService/Push",
            "application/proto",
            SmallPprof.push(wide.toBytes(), push)),
        new Good("/ingest?name=a.cpu", "", zeros),
        new Good("/ingest?name=a&format=jfr", "", zeros),
        new Good("/ingest?name=a.cpu&format=tree", "", longName),
        new Good("/ingest?name=a.cpu&format=speedscope", "", utf8(deep)),
        new Good(QUERIER + "Series", "application/json", utf8(deep)),
        new Good(QUERIER + "Series", "application/proto", new byte[2 << 20]),
        new Good("/v1development/profiles", "application/json", utf8("{\"a\":" + deep)),
        new Good("/ingest?name=a.cpu", "", new byte[15 << 20]),
        new Good("/ingest?name=a.cpu", "", new byte[18 << 20]),
        new Good("/ingest?name=a.cpu", "", new byte[33 << 20]),
        new Good(QUERIER + "Series", "application/json", utf8("[" + "[],".repeat(300_000) + "[]]")),
        new Good(
            "/v1development/profiles",
            "application/json",
            utf8("{\"a\":[" + "{},".repeat(3_000_000) + "{}]}")),
        new Good(
            "/v1development/profiles",
            "application/x-protobuf",
            new ProtoOut()
                .message(1, new ProtoOut().message(2, new ProtoOut()))
                .bytes(2, entries(10 << 20, 0x2a, 0))
                .toBytes()),
        pprof(entries(4_000_000, 0x32, 0)),
        pprof(entries(3_000_000, 0x22, 2, 0x08, 1)),
        new Good(
            "/querier.v1.QuerierService/SelectMergeStacktraces",
            "application/json",
            utf8(
                "{\"profileTypeID\":\"process_cpu:cpu:nanoseconds:cpu:nanoseconds\",\"start\":1,"
                    + "\"end\":2,\"labelSelector\":\"{"
                    + "a=\\\"b\\\",".repeat(10_000)
                    + "}\"}")));
  }

  private static Good pprof(byte[] tables) {
    String[] push = {"__name__", "process_cpu", "service_name", "a"};
    return new Good(
        "/push.v1.PusherService/Push", "application/proto", SmallPprof.push(tables, push));
  }

  /** The same few bytes again and again, each of which is an entry of a table. */
  private static byte[] entries(int length, int... entry) {
    byte[] all = new byte[length / entry.length * entry.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) entry[i % entry.length];
    }
    return all;
  }

  @Test
  void packedBombsAreRefusedWhileTheyAreUnpacked(@TempDir Path folder) throws Exception {
    byte[] bomb = bomb();
    try (ServerInOwnProcess server = ServerInOwnProcess.start(folder, HEAP_MEGABYTES)) {
      for (String path :
          List.of(
              "/ingest?name=a.cpu",
              "/push.v1.PusherService/Push",
              "/v1development/profiles",
              QUERIER + "Series")) {
        String type =
            path.startsWith("/v1")
                ? "application/x-protobuf"
                : path.startsWith("/ingest") ? "text/plain" : "application/proto";
        assertThat(packed(server.port(), path, type, bomb)).as(path).isEqualTo(413);
      }
      try (ExecutorService threads = Executors.newFixedThreadPool(12)) {
        List<Future<Integer>> running = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
          running.add(
              threads.submit(
                  () -> packed(server.port(), "/ingest?name=a.cpu", "text/plain", bomb)));
        }
        for (Future<Integer> one : running) {
          assertThat(one.get()).isIn(413, 503);
        }
      }
      assertThat(server.log()).doesNotContain("OutOfMemory").doesNotContain("heap space");
      assertThat(send(server.port(), good().getFirst())).isEqualTo(200);
    }
  }

  private static byte[] bomb() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 1024; i++) {
        gzip.write(zeros);
      }
    }
    return out.toByteArray();
  }

  private int packed(int port, String path, String type, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", type)
            .header("Content-Encoding", "gzip")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }
}
