package dev.plumb.server.pyroscope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.TestServer;
import dev.plumb.testing.TestJson;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a Pyroscope 2.0.6 answered to requests on a small set of data, against what Plumb answers on
 * the same data: 28 windows of 15 s of two services.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecordedAnswersTest {
  private static final long FIRST_SECOND = 1794715365L;
  private static final int WINDOWS = 28;

  /** Pyroscope had this many of them when it was asked for all services. */
  private static final int SEEN_OF_ALL = 20;

  private TestServer server;

  /** One recorded answer. */
  record Case(String name, Map<String, Object> json) {
    @Override
    public String toString() {
      return name;
    }

    int status() {
      return ((Double) json.get("status")).intValue();
    }

    Object response() {
      return json.get("response");
    }
  }

  @BeforeAll
  void push(@TempDir Path folder) {
    server = TestServer.start(folder);
    for (int window = 0; window < WINDOWS; window++) {
      long time = (FIRST_SECOND + 15L * window) * 1_000_000_000L;
      push(
          profile(time)
              .sample("main;run;foo", new long[] {100_000_000})
              .sample("main;run;bar", new long[] {50_000_000})
              .sample("main;gc", new long[] {10_000_000}),
          "svc-a",
          "h1");
      push(
          profile(time)
              .sample("main;serve;foo;alloc", new long[] {70_000_000})
              .sample("main;idle", new long[] {20_000_000}),
          "svc-b",
          "h2");
    }
  }

  private static SmallPprof profile(long time) {
    return new SmallPprof()
        .type("cpu", "nanoseconds")
        .period("cpu", "nanoseconds", 10_000_000)
        .time(time, 15_000_000_000L);
  }

  private void push(SmallPprof profile, String service, String host) {
    byte[] request =
        SmallPprof.push(
            profile.bytes(),
            "__name__",
            "process_cpu",
            "service_name",
            service,
            "host",
            host,
            "region",
            "eu");
    HttpResponse<byte[]> answer =
        server.post("/push.v1.PusherService/Push", request, "Content-Type", "application/proto");
    assertThat(answer.statusCode()).as(TestServer.text(answer)).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  static List<Case> cases() throws IOException {
    List<Case> cases = new ArrayList<>();
    try (InputStream in =
        RecordedAnswersTest.class.getResourceAsStream("/pyroscope/answers.jsonl")) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        @SuppressWarnings("unchecked")
        Map<String, Object> json = (Map<String, Object>) TestJson.parse(line);
        cases.add(new Case((String) json.get("name"), json));
      }
    }
    assertThat(cases).hasSizeGreaterThan(40);
    return cases;
  }

  /** Their "now" was 04:10:39 UTC. */
  private static String path(Case recorded) {
    return ((String) recorded.json().get("path"))
        .replace("from=now-1h&until=now", "from=1794712239&until=1794715839");
  }

  private HttpResponse<byte[]> ask(Case recorded) {
    if (recorded.json().get("method").equals("GET")) {
      return server.get(path(recorded));
    }
    Object request = recorded.json().get("request");
    return server.postJson(
        path(recorded), request instanceof String text ? text : JsonText.of(request));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void answersAsPyroscopeDoes(Case recorded) {
    HttpResponse<byte[]> answer = ask(recorded);
    String text = TestServer.text(answer);
    assertThat(answer.statusCode()).as(text).isEqualTo(recorded.status());
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .isEqualTo(recorded.json().get("contentType"));
    if (recorded.response() instanceof String plain && !recorded.name().equals("render_dot")) {
      assertThat(text).isEqualTo(plain);
      return;
    }
    switch (recorded.name()) {
      case "render_dot" -> assertThat(edges(text)).isEqualTo(edges((String) recorded.response()));
      case "SelectMergeProfile" ->
          assertThat(sums(TestJson.parse(text))).isEqualTo(sums(recorded.response()));
      case "GetProfileStats" ->
          assertThat(map(TestJson.parse(text)).keySet())
              .isEqualTo(map(recorded.response()).keySet());
      case "SelectMergeStacktraces_all" ->
          assertThat(TestJson.parse(text)).isEqualTo(scaled(recorded.response()));
      case "SelectSeries_groupBy" ->
          assertThat(firstPoints(TestJson.parse(text))).isEqualTo(recorded.response());
      default -> assertThat(TestJson.parse(text)).isEqualTo(recorded.response());
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object json) {
    return (Map<String, Object>) json;
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(Object json) {
    return json == null ? List.of() : (List<Object>) json;
  }

  /** Large numbers as if all windows had been seen; names' numbers stay. */
  private static Object scaled(Object json) {
    return switch (json) {
      case Map<?, ?> members -> {
        Map<Object, Object> result = new LinkedHashMap<>();
        members.forEach((key, value) -> result.put(key, scaled(value)));
        yield result;
      }
      case List<?> elements -> elements.stream().map(RecordedAnswersTest::scaled).toList();
      case String text when text.matches("\\d{6,}") ->
          Long.toString(Long.parseLong(text) / SEEN_OF_ALL * WINDOWS);
      default -> json;
    };
  }

  /** As many points of each series as Pyroscope saw. */
  private static Object firstPoints(Object json) {
    List<Object> series = list(map(json).get("series"));
    series.replaceAll(
        one -> {
          Map<String, Object> copy = new LinkedHashMap<>(map(one));
          copy.put("points", list(copy.get("points")).subList(0, 5));
          return copy;
        });
    return json;
  }

  /** What a pprof profile says, whatever its tables look like. */
  private static Map<String, Object> sums(Object json) {
    Map<String, Object> profile = map(json);
    List<Object> strings = list(profile.get("stringTable"));
    Map<String, Object> functions = new TreeMap<>();
    for (Object function : list(profile.get("function"))) {
      functions.put(
          (String) map(function).get("id"),
          strings.get(number(function, "name")) + " " + strings.get(number(function, "filename")));
    }
    Map<String, String> locations = new TreeMap<>();
    for (Object location : list(profile.get("location"))) {
      Object line = list(map(location).get("line")).getFirst();
      locations.put(
          (String) map(location).get("id"),
          functions.get(map(line).get("functionId")) + ":" + (map(line).get("line") != null));
    }
    Map<String, Object> result = new TreeMap<>();
    for (Object sample : list(profile.get("sample"))) {
      List<String> stack = new ArrayList<>();
      list(map(sample).get("locationId")).forEach(id -> stack.add(locations.get(id)));
      result.put(stack.toString(), map(sample).get("value"));
    }
    Object type = list(profile.get("sampleType")).getFirst();
    result.put("type", strings.get(number(type, "type")) + " " + strings.get(number(type, "unit")));
    Object period = profile.get("periodType");
    result.put("period", strings.get(number(period, "type")));
    result.put("time", profile.get("timeNanos"));
    result.put("default", strings.get(Integer.parseInt((String) profile.get("defaultSampleType"))));
    return result;
  }

  private static int number(Object json, String name) {
    return Integer.parseInt((String) map(json).getOrDefault(name, "0"));
  }

  /** Who calls whom, for how long. */
  private static Set<String> edges(String dot) {
    Map<String, String> names = new TreeMap<>();
    Matcher node = Pattern.compile("(N\\d+) \\[label=\"([^\\\\]+)\\\\n").matcher(dot);
    while (node.find()) {
      names.put(node.group(1), node.group(2));
    }
    Set<String> edges = new TreeSet<>();
    Matcher edge = Pattern.compile("(N\\d+) -> (N\\d+) \\[label=\" ([^\"]+)\"").matcher(dot);
    while (edge.find()) {
      edges.add(names.get(edge.group(1)) + " " + names.get(edge.group(2)) + " " + edge.group(3));
    }
    assertThat(edges).isNotEmpty();
    return edges;
  }

  @Test
  void flameGraphsBelowACallSite() {
    String answer =
        TestServer.text(
            server.postJson(
                "/querier.v1.QuerierService/SelectMergeStacktraces",
                """
                {"start":1794715364000,"end":1794715785000,"labelSelector":"{}",
                 "profileTypeID":"process_cpu:cpu:nanoseconds:cpu:nanoseconds",
                 "stackTraceSelector":{"callSite":[{"name":"main"},{"name":"run"}]}}"""));
    assertThat(answer)
        .contains("\"names\":[\"total\",\"main\",\"run\",\"foo\",\"bar\"]")
        .contains("\"total\":\"4200000000\"");
  }

  /** Java's patterns and the store's are not the same; none takes for ever. */
  @ParameterizedTest
  @ValueSource(strings = {"(?=a).*", "(", "(a)\\\\1", "(?<!x)y", "*"})
  void patternsThatAreNoneAreTheAskersFault(String pattern) {
    String body =
        """
        {"start":1,"end":99999999999999,"labelSelector":"{service_name=~\\"%s\\"}",
         "profileTypeID":"process_cpu:cpu:nanoseconds:cpu:nanoseconds"}"""
            .formatted(pattern);
    for (String method : List.of("SelectMergeStacktraces", "SelectMergeProfile")) {
      HttpResponse<byte[]> answer = server.postJson("/querier.v1.QuerierService/" + method, body);
      assertThat(answer.statusCode()).as(TestServer.text(answer)).isEqualTo(400);
      assertThat(TestServer.text(answer)).contains("invalid_argument");
    }
    assertThat(
            server
                .get(
                    "/pyroscope/render?from=0&until=now&query=process_cpu:cpu:nanoseconds:cpu:"
                        + "nanoseconds%7Ba%3D~%22%28%3F%3Da%29%22%7D")
                .statusCode())
        .isEqualTo(400);
  }

  @Test
  void seesAllOfWhatWasAcknowledged() {
    String all =
        TestServer.text(
            server.postJson(
                "/querier.v1.QuerierService/SelectMergeStacktraces",
                """
                {"start":1794715364000,"end":1794715785000,"labelSelector":"{}",
                 "profileTypeID":"process_cpu:cpu:nanoseconds:cpu:nanoseconds"}"""));
    assertThat(all).contains("\"total\":\"7000000000\"");
  }
}
