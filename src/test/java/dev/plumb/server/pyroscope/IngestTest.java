package dev.plumb.server.pyroscope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.StackEnd;
import dev.plumb.server.TestServer;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import dev.plumb.testing.TestJson;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is pushed in each format, and what is refused. */
class IngestTest {
  private static final String CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  private static final String PUSH = "/push.v1.PusherService/Push";
  private static final String[] LABELS = {"__name__", "process_cpu", "service_name", "app"};

  @TempDir Path folder;
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.strict(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Profile merged(String type, String selector) {
    return server.store.merged(
        Selection.of(ProfileType.parse(type), Selector.parse(selector), TimeRange.ALL));
  }

  /** Self by the way to it, from the root. */
  private Map<String, Long> stacks(String type, String selector) {
    CallTree tree = CallTree.of(merged(type, selector), 0);
    Map<String, Long> stacks = new TreeMap<>();
    for (int node = 1; node < tree.size(); node++) {
      if (tree.self(node, 0) != 0) {
        StringBuilder path = new StringBuilder();
        for (int at = node; at > 0; at = tree.parent(at)) {
          path.insert(0, tree.symbol(at).name() + ";");
        }
        stacks.put(path.toString(), tree.self(node, 0));
      }
    }
    return stacks;
  }

  private void accepted(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(TestServer.text(answer)).isEqualTo(200);
  }

  private String refused(HttpResponse<byte[]> answer, int status, String code) {
    assertThat(answer.statusCode()).as(TestServer.text(answer)).isEqualTo(status);
    @SuppressWarnings("unchecked")
    Map<String, Object> json = (Map<String, Object>) TestJson.parse(TestServer.text(answer));
    assertThat(json.get("code")).isEqualTo(code);
    return (String) json.get("message");
  }

  @Test
  void textFormatsMeanTheSame() {
    byte[] tree = {
      0, 0, 1, 4, 'm', 'a', 'i', 'n', 0, 2, 4, 'w', 'o', 'r', 'k', 2, 0, 4, 'i', 'd', 'l', 'e', 1, 0
    };
    byte[] trie = {
      0, 0, 1, 5, 'm', 'a', 'i', 'n', ';', 0, 2, 4, 'w', 'o', 'r', 'k', 2, 0, 4, 'i', 'd', 'l', 'e',
      1, 0
    };
    String speedscope =
        """
        {"shared":{"frames":[{"name":"main"},{"name":"work"},{"name":"idle"}]},"profiles":[
         {"type":"sampled","samples":[[0,1],[0,2]],"weights":[1,1]},
         {"type":"evented","events":[{"type":"O","frame":0,"at":5},{"type":"O","frame":1,"at":5},
          {"type":"C","frame":1,"at":6},{"type":"C","frame":0,"at":6}]}]}
        """;
    Map<String, byte[]> bodies =
        Map.of(
            "folded", utf8("main;work 2\nmain;idle 1\n"),
            "lines", utf8("main;work\nmain;work\nmain;idle\n"),
            "tree", tree,
            "trie", trie,
            "speedscope", utf8(speedscope));
    bodies.forEach(
        (format, body) -> {
          accepted(
              server.post("/ingest?name=" + format + ".cpu&sampleRate=50&format=" + format, body));
          assertThat(stacks(CPU, "{service_name=\"" + format + "\"}"))
              .as(format)
              .isEqualTo(Map.of("main;work;", 40_000_000L, "main;idle;", 20_000_000L));
        });
  }

  @Test
  void theNameSaysTypeAndLabels() {
    accepted(
        server.post(
            "/pyroscope/ingest?name=shop.alloc_space%7Bregion%3Deu%2Cpod%3Dp-1%7D&spyName=x",
            utf8("a;b 1024\n")));
    assertThat(
            stacks(
                "memory:alloc_space:bytes::",
                "{service_name=\"shop\", region=\"eu\", pod=\"p-1\", pyroscope_spy=\"x\"}"))
        .isEqualTo(Map.of("a;b;", 1024L));
    String message =
        refused(server.post("/ingest?name=shop.nope", utf8("a 1")), 400, "invalid_argument");
    assertThat(message).startsWith("unknown profile type: nope");
    refused(server.post("/ingest", utf8("a 1")), 400, "invalid_argument");
    refused(server.post("/ingest?name=a.cpu&format=nope", utf8("a 1")), 400, "invalid_argument");
  }

  @Test
  void multipartPprofWithItsConfiguration() {
    byte[] profile =
        new SmallPprof()
            .type("contentions", "count")
            .type("delay", "nanoseconds")
            .period("contentions", "count", 1)
            .sample("main;lock", new long[] {3, 500})
            .bytes();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        utf8("--B\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n"));
    body.writeBytes(profile);
    body.writeBytes(
        utf8(
            "\r\n--B\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n"
                + "{\"delay\":{\"units\":\"x\",\"display-name\":\"block_duration\"}}\r\n--B--\r\n"));
    accepted(
        server.post(
            "/ingest?name=app&spyName=gospy",
            body.toByteArray(),
            "Content-Type",
            "multipart/form-data; boundary=B"));
    assertThat(stacks("block:delay:nanoseconds:contentions:count", "{service_name=\"app\"}"))
        .isEqualTo(Map.of("main;lock;", 500L));
    assertThat(stacks("block:contentions:count:contentions:count", "{}"))
        .isEqualTo(Map.of("main;lock;", 3L));
  }

  private SmallPprof cpu() {
    return new SmallPprof()
        .type("cpu", "nanoseconds")
        .period("cpu", "nanoseconds", 10_000_000)
        .time(System.currentTimeMillis() * 1_000_000, 1_000_000_000);
  }

  private HttpResponse<byte[]> push(byte[] profile, String... labels) {
    return server.post(PUSH, SmallPprof.push(profile, labels), "Content-Type", "application/proto");
  }

  @Test
  void pushedAsJsonAndZippedTwice() throws Exception {
    byte[] profile = cpu().sample("main;work", new long[] {7}, "thread", "w-1").bytes();
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(profile);
    }
    String json =
        """
        {"series":[{"labels":[{"name":"__name__","value":"process_cpu"},
         {"name":"service_name","value":"app"},{"name":"some.dotted","value":"x"}],
         "samples":[{"rawProfile":"%s"}]}]}"""
            .formatted(Base64.getEncoder().encodeToString(packed.toByteArray()));
    HttpResponse<byte[]> answer = server.postJson(PUSH, json);
    accepted(answer);
    assertThat(TestServer.text(answer)).isEqualTo("{}");
    assertThat(stacks(CPU, "{service_name=\"app\", some_dotted=\"x\"}"))
        .isEqualTo(Map.of("main;work;", 7L));
    assertThat(server.store.labelValues("thread", Selector.ALL, TimeRange.ALL))
        .containsExactly("w-1");
  }

  @Test
  void spansMakeNoSeries() {
    SmallPprof profile = cpu();
    for (int i = 0; i < 50; i++) {
      profile.sample("main", new long[] {1}, "span_id", "aa" + i, "span_name", "GET /");
    }
    accepted(push(profile.bytes(), LABELS));
    assertThat(server.store.labelNames(Selector.ALL, TimeRange.ALL))
        .contains("span_name")
        .doesNotContain("span_id");
    assertThat(server.store.series(List.of(), List.of(), TimeRange.ALL)).hasSize(1);
  }

  @Test
  void whatPlumbItselfPushesKeepsItsProcesses() {
    accepted(push(cpu().sample("main", new long[] {7}, "comm", "java").bytes(), LABELS));
    assertThat(stacks(CPU, "{comm=\"java\"}")).isEqualTo(Map.of("java;main;", 7L));
  }

  @Test
  void limitsAreThoseOfPyroscope() {
    SmallPprof many = cpu();
    for (int i = 0; i <= 16_000; i++) {
      many.sample("f" + i % 100, new long[] {i});
    }
    assertThat(refused(push(many.bytes(), LABELS), 400, "invalid_argument"))
        .endsWith(
            "exceeds the samples count limit (max_profile_stacktrace_samples, actual: 16001,"
                + " limit: 16000)");
    byte[] large = new ProtoOut().bytes(15, new byte[5 << 20]).toBytes();
    assertThat(refused(push(large, LABELS), 400, "invalid_argument"))
        .startsWith(
            "the profile with labels '{__name__=\"process_cpu\", service_name=\"app\"}' exceeds"
                + " the size limit (max_profile_size_byte, actual: ");
    String[] tooMany = new String[2 * 31];
    for (int i = 0; i < 31; i++) {
      tooMany[2 * i] = i == 0 ? "__name__" : "label" + i;
      tooMany[2 * i + 1] = "x";
    }
    byte[] good = cpu().sample("main", new long[] {1}).bytes();
    assertThat(refused(push(good, tooMany), 400, "invalid_argument"))
        .endsWith("has 32 label names; limit 30");
    assertThat(
            refused(
                push(good, "__name__", "process_cpu", "a", "1", "a", "2"), 400, "invalid_argument"))
        .endsWith("has duplicate label name: 'a'");
    assertThat(refused(push(good, "service_name", "app"), 400, "invalid_argument"))
        .endsWith("invalid metric name");
    long old = System.currentTimeMillis() * 1_000_000 - 2 * 3_600_000_000_000L;
    byte[] late = cpu().time(old, 1).sample("main", new long[] {1}).bytes();
    assertThat(refused(push(late, LABELS), 400, "invalid_argument"))
        .contains("is outside of ingestion window (profile timestamp: ");
    assertThat(server.store.types(TimeRange.ALL)).isEmpty();
    assertThat(server.scheduler.counters().rejected().values().stream().mapToLong(n -> n).sum())
        .isEqualTo(6);
  }

  @Test
  void deepStacksAreCutAtTheLeafAndSaidToBe() {
    StringBuilder deep = new StringBuilder("root");
    for (int i = 1; i < 1500; i++) {
      deep.append(";f").append(i);
    }
    accepted(push(cpu().sample(deep.toString(), new long[] {9}).bytes(), LABELS));
    Profile profile = merged(CPU, "{}");
    assertThat(profile.total(0)).isEqualTo(9);
    int stack = profile.stack(0);
    assertThat(profile.stacks().depth(stack)).isEqualTo(1000);
    assertThat(profile.stacks().end(stack)).isEqualTo(StackEnd.DEPTH);
    assertThat(stacks(CPU, "{}").keySet().iterator().next()).startsWith("root;f1;f2;");
  }

  @Test
  void goodProfilesOfARequestAreKept() {
    ProtoOut both =
        new ProtoOut()
            .append(part(new byte[] {1, 2, 3}))
            .append(part(cpu().sample("main", new long[] {5}).bytes()));
    refused(
        server.post(PUSH, both.toBytes(), "Content-Type", "application/proto"),
        400,
        "invalid_argument");
    assertThat(stacks(CPU, "{}")).isEqualTo(Map.of("main;", 5L));
  }

  private static ProtoOut part(byte[] profile) {
    return new ProtoOut().raw(SmallPprof.push(profile, LABELS));
  }

  @Test
  void manyAskWhileManyPush() throws Exception {
    List<Thread> threads = new java.util.ArrayList<>();
    List<Integer> statuses = java.util.Collections.synchronizedList(new java.util.ArrayList<>());
    for (int i = 0; i < 200; i++) {
      boolean pushes = i % 4 == 0;
      threads.add(
          Thread.startVirtualThread(
              () ->
                  statuses.add(
                      (pushes
                              ? push(cpu().sample("main;work", new long[] {1}).bytes(), LABELS)
                              : server.postJson(
                                  "/querier.v1.QuerierService/SelectMergeStacktraces",
                                  """
                                  {"start":1,"end":99999999999999,"labelSelector":"{}",
                                   "profileTypeID":"%s"}"""
                                      .formatted(CPU)))
                          .statusCode())));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(statuses).hasSize(200).containsOnly(200);
    assertThat(merged(CPU, "{}").total(0)).isEqualTo(50);
  }
}
