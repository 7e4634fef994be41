package dev.plumb.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.export.Formats;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.engine.Store;
import dev.plumb.testing.TestJson;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The questions over HTTP, against a real store. */
class ApiTest {
  private static final String CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

  @TempDir static Path folder;

  private static Store store;
  private static ApiTestServer server;
  private static HttpClient http;
  private static Map<?, ?> description;

  @BeforeAll
  static void start() throws Exception {
    store = Store.open(StoreOptions.of(folder));
    try (Recording recording = TestRecordings.varied()) {
      store.add(recording, Labels.of("host", "test-host"));
    }
    server = new ApiTestServer(store, 0);
    http = HttpClient.newHttpClient();
    description = map(TestJson.parse(Files.readString(Path.of("docs/openapi.json"))));
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
    store.close();
  }

  private static HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static Map<?, ?> ask(String path) throws Exception {
    HttpResponse<byte[]> response = get("api/" + path);
    assertThat(response.statusCode()).as(path + ": " + text(response)).isEqualTo(200);
    return map(TestJson.parse(text(response)));
  }

  private static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  private static Map<?, ?> map(Object value) {
    return (Map<?, ?>) value;
  }

  private static String url(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }

  private static double sum(Object numbers) {
    return ((List<?>) numbers).stream().mapToDouble(ApiTest::number).sum();
  }

  private static Profile merged(String selector) {
    return store.merged(selection(selector));
  }

  private static Selection selection(String selector) {
    return Selection.of(
        ProfileType.parse(CPU), Selector.parse(selector), store.span().orElseThrow());
  }

  private static final Map<String, String> QUESTIONS = new LinkedHashMap<>();

  static {
    QUESTIONS.put("state", "");
    QUESTIONS.put("labels", "name=comm");
    QUESTIONS.put("timeline", "by=comm&type=" + CPU);
    QUESTIONS.put("heatmap", "columns=30&rows=20&type=" + CPU);
    QUESTIONS.put("tree", "type=" + CPU);
    QUESTIONS.put("table", "type=" + CPU);
    QUESTIONS.put("sandwich", "function=java.lang.Thread.run&type=" + CPU);
    QUESTIONS.put("diff", "absolute=1&query2=" + url("{comm=\"java\"}") + "&type=" + CPU);
    QUESTIONS.put("threads", "");
    QUESTIONS.put("cpus", "");
    QUESTIONS.put("processes", "languages=1&type=" + CPU);
    QUESTIONS.put("quality", "type=" + CPU);
    QUESTIONS.put("source", "type=" + CPU);
    QUESTIONS.put("export", "format=folded&type=" + CPU);
  }

  @Test
  void theDescriptionNamesEveryPathAndNoOther() {
    Set<String> served = new TreeSet<>();
    new ApiService(store, new ServerInfo("", "", () -> true))
        .paths()
        .forEach(name -> served.add("/api/" + name));
    Set<String> described = new TreeSet<>();
    map(description.get("paths")).keySet().forEach(path -> described.add((String) path));
    assertThat(served).isEqualTo(described);
    assertThat(QUESTIONS.keySet()).allMatch(name -> served.contains("/api/" + name));
    assertThat(QUESTIONS).hasSameSizeAs(served);
  }

  @Test
  void answersHaveTheFieldsThatAreDescribed() throws Exception {
    for (Map.Entry<String, String> question : QUESTIONS.entrySet()) {
      if (question.getKey().equals("export")) {
        continue;
      }
      Object schema =
          at("paths", "/api/" + question.getKey(), "get", "responses", "200", "content");
      check(
          question.getKey(),
          ask(question.getKey() + "?" + question.getValue()),
          map(map(map(schema).get("application/json")).get("schema")));
    }
  }

  private static Object at(String... keys) {
    Object value = description;
    for (String key : keys) {
      value = map(value).get(key);
    }
    return value;
  }

  /** Every field of an answer is described, and every one that must be there is. */
  private static void check(String where, Object value, Map<?, ?> given) {
    Map<?, ?> schema = given;
    if (given.get("$ref") != null) {
      schema = map(at(((String) given.get("$ref")).substring(2).split("/")));
    }
    switch ((String) schema.get("type")) {
      case "object" -> {
        Map<?, ?> object = map(value);
        if (schema.get("additionalProperties") instanceof Map<?, ?> more) {
          object.forEach((key, item) -> check(where + "." + key, item, more));
          return;
        }
        Map<?, ?> properties = map(schema.get("properties"));
        assertThat(object.keySet().toArray()).as(where).isSubsetOf(properties.keySet().toArray());
        assertThat(object.keySet().toArray())
            .as(where)
            .contains(((List<?>) schema.get("required")).toArray());
        object.forEach((key, item) -> check(where + "." + key, item, map(properties.get(key))));
      }
      case "array" -> {
        for (Object item : (List<?>) value) {
          check(where + "[]", item, map(schema.get("items")));
        }
      }
      case "string" -> assertThat(value).as(where).isInstanceOf(String.class);
      case "boolean" -> assertThat(value).as(where).isInstanceOf(Boolean.class);
      case "integer" -> {
        assertThat(value).as(where).isInstanceOf(Double.class);
        assertThat(number(value)).as(where).isEqualTo(Math.rint(number(value)));
      }
      default -> assertThat(value).as(where).isInstanceOf(Double.class);
    }
  }

  @Test
  void sumsAreThoseOfTheStore() throws Exception {
    double total = merged("{}").total(0);
    assertThat(total).isPositive();
    Map<?, ?> timeline = ask("timeline?by=comm&limit=2&type=" + CPU);
    double overTime = 0;
    for (Object series : (List<?>) timeline.get("series")) {
      overTime += sum(map(series).get("values"));
    }
    assertThat(overTime).isEqualTo(total);
    assertThat(sum(ask("heatmap?type=" + CPU).get("values"))).isEqualTo(total);
    assertThat(number(ask("table?type=" + CPU).get("sum"))).isEqualTo(total);
    assertThat(sum(ask("table?type=" + CPU).get("self"))).isEqualTo(total);
    double ofProcesses = 0;
    for (Object process : (List<?>) ask("processes?type=" + CPU).get("processes")) {
      ofProcesses += number(map(process).get("value"));
    }
    assertThat(ofProcesses).isEqualTo(total);
    Map<?, ?> lanes = ask("cpus");
    assertThat(sum(map(lanes.get("on")).get("value"))).isEqualTo(total);
  }

  @Test
  void aSelectorAndASliceNarrowThem() throws Exception {
    double java = merged("{comm=\"java\"}").total(0);
    assertThat(java).isPositive().isLessThan(merged("{}").total(0));
    String selector = "&query=" + url("{comm=\"java\"}");
    assertThat(number(ask("table?type=" + CPU + selector).get("sum"))).isEqualTo(java);
    double parts = 0;
    for (String slice : List.of("0-300", "300-1000")) {
      parts += number(ask("table?type=" + CPU + selector + "&slice=" + slice).get("sum"));
    }
    assertThat(parts).isEqualTo(java);
  }

  @Test
  void wrongQuestionsAreToldWhatIsWrong() throws Exception {
    Map<String, Integer> wrong = new LinkedHashMap<>();
    wrong.put("api/tree", 400);
    wrong.put("api/tree?type=nonsense", 400);
    wrong.put("api/tree?type=" + CPU + "&from=yesterday", 400);
    wrong.put("api/tree?type=" + CPU + "&from=2&to=1", 400);
    wrong.put("api/tree?type=" + CPU + "&from=1e999999999", 400);
    wrong.put("api/tree?type=" + CPU + "&slice=900-100", 400);
    wrong.put("api/tree?type=" + CPU + "&slice=-5-5", 400);
    wrong.put("api/tree?type=" + CPU + "&near=zzz", 400);
    wrong.put("api/tree?type=" + CPU + "&query=" + url("{comm=}"), 400);
    wrong.put("api/tree?type=" + CPU + "&query=" + url("{comm=~\"(\"}"), 400);
    wrong.put("api/timeline?type=" + CPU + "&from=0&to=1800000000000", 400);
    wrong.put("api/table?by=colour&type=" + CPU, 400);
    wrong.put("api/sandwich?type=" + CPU, 400);
    wrong.put("api/sandwich?function=nobody&type=" + CPU, 404);
    wrong.put("api/threads?limit=10", 413);
    wrong.put("api/source?file=/etc/shadow&type=" + CPU, 404);
    wrong.put("api/export?format=nonsense&type=" + CPU, 400);
    wrong.put("api/nothing", 404);
    wrong.put("static/0000000000000000/app/main.js", 404);
    for (Map.Entry<String, Integer> question : wrong.entrySet()) {
      HttpResponse<byte[]> response = get(question.getKey());
      assertThat(response.statusCode())
          .as(question.getKey() + ": " + text(response))
          .isEqualTo(question.getValue());
      Map<?, ?> error = map(TestJson.parse(text(response)));
      assertThat(error.keySet().toArray()).containsExactlyInAnyOrder("code", "message");
      assertThat((String) error.get("message")).hasSizeGreaterThan(10);
    }
  }

  @Test
  void everyFormatIsWrittenAndReadBack() throws Exception {
    double total = merged("{}").total(0);
    for (var format : Formats.all()) {
      HttpResponse<byte[]> response = get("api/export?format=" + format.name() + "&type=" + CPU);
      assertThat(response.statusCode()).as(format.name() + text(response)).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Disposition").orElse(""))
          .contains(format.ending());
      if (format.name().equals("pprof") || format.name().equals("plumb")) {
        Recording read = Formats.read(new ByteArrayInputStream(response.body())).recording();
        Profile profile = read.main();
        assertThat((double) profile.total(profile.type("cpu").orElseThrow())).isEqualTo(total);
        read.close();
      }
    }
  }

  @Test
  void whatIsHiddenOnThePageIsNotInTheFile() throws Exception {
    String all = text(get("api/export?format=folded&type=" + CPU));
    String focused =
        text(
            get(
                "api/export?format=folded&x="
                    + url("focus:java.lang.Thread.run")
                    + "&type="
                    + CPU));
    assertThat(all.lines().anyMatch(line -> !line.contains("java.lang.Thread.run"))).isTrue();
    assertThat(focused.lines()).isNotEmpty().allMatch(line -> line.contains("Thread.run"));
    String without =
        text(
            get(
                "api/export?format=folded&x="
                    + url("exclude:java.lang.Thread.run")
                    + "&type="
                    + CPU));
    assertThat(without.lines()).isNotEmpty().noneMatch(line -> line.contains("Thread.run"));
    assertThat(value(focused) + value(without)).isEqualTo(value(all));
    String hidden =
        text(
            get(
                "api/export?format=folded&k=0&x="
                    + url("hide:java.lang.Thread.run")
                    + "&type="
                    + CPU));
    assertThat(hidden).doesNotContain("java.lang.Thread.run").doesNotContain("_[k]");
    assertThat(value(hidden)).isEqualTo(value(all));
  }

  private static long value(String folded) {
    return folded
        .lines()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void aSandwichHoldsTheFunctionsTotal() throws Exception {
    Map<?, ?> table = ask("table?sort=total&type=" + CPU);
    int row = ((List<?>) table.get("names")).indexOf("java.lang.Thread.run");
    double total = number(((List<?>) table.get("total")).get(row));
    Profile merged = store.mergedWithCounts(selection("{}"));
    Sandwich sandwich = Sandwich.of(merged, "java.lang.Thread.run", "");
    assertThat((double) sandwich.callees().total(1)).isEqualTo(total);
    assertThat((double) sandwich.callers().total(1)).isEqualTo(total);
  }

  /** A page asks for all it shows at once; none of that may wait for the rest of it. */
  @Test
  void manyQuestionsAtOnceAreAllAnswered() throws Exception {
    List<java.util.concurrent.CompletableFuture<HttpResponse<byte[]>>> answers =
        new java.util.ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < 40; i++) {
      String path = i % 2 == 0 ? "api/tree?type=" + CPU : "api/timeline?by=comm&type=" + CPU;
      HttpRequest request = HttpRequest.newBuilder(URI.create(server.address() + path)).build();
      answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()));
    }
    for (var answer : answers) {
      assertThat(answer.get().statusCode()).isEqualTo(200);
    }
    assertThat((System.nanoTime() - begin) / 1e9).isLessThan(15);
  }

  @Test
  void answersArePackedForThoseWhoReadThat() throws Exception {
    HttpResponse<byte[]> plain = get("api/tree?type=" + CPU);
    HttpResponse<byte[]> packed = get("api/tree?type=" + CPU, "Accept-Encoding", "gzip");
    assertThat(packed.headers().firstValue("Content-Encoding")).contains("gzip");
    byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes();
    assertThat(map(map(TestJson.parse(new String(unpacked, StandardCharsets.UTF_8))).get("tree")))
        .isNotEmpty()
        .isEqualTo(map(TestJson.parse(text(plain))).get("tree"));
  }

  @Test
  void thePagesFilesAreSmallAndKeptByBrowsers() throws Exception {
    assertThat(new PageFiles().packedBytes()).isLessThan(150_000);
    HttpResponse<byte[]> page = get("");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("script-src 'self'")
        .doesNotContain("unsafe");
    String tag = page.headers().firstValue("ETag").orElseThrow();
    assertThat(get("", "If-None-Match", tag).statusCode()).isEqualTo(304);
    for (String link : links(text(page))) {
      HttpResponse<byte[]> file = get(link);
      assertThat(file.statusCode()).as(link).isEqualTo(200);
      assertThat(file.headers().firstValue("Cache-Control").orElse("")).contains("immutable");
      assertThat(text(file)).as(link).doesNotContain("from\"preact\"").doesNotContain("https://");
    }
    String script = links(text(page)).stream().filter(l -> l.endsWith("main.js")).findFirst().get();
    assertThat(get(script.replace("app/main.js", "..%2f..%2fpom.xml")).statusCode())
        .isBetween(400, 404);
    assertThat(get(script.replace("main.js", "%2e%2e/main.js")).statusCode()).isBetween(400, 404);
  }

  private static List<String> links(String page) {
    return java.util.regex.Pattern.compile("(?:href|src)=\"([^\"]+)\"")
        .matcher(page)
        .results()
        .map(match -> match.group(1))
        .distinct()
        .toList();
  }

  @Test
  void sourceIsShownOnlyWhereEverybodyMayReadIt() throws Exception {
    Path open = Files.createDirectories(Path.of("/tmp/plumb-source-test"));
    try {
      Files.setPosixFilePermissions(
          open, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
      Path source = Files.writeString(open.resolve("a.c"), "int main;\n");
      Files.setPosixFilePermissions(
          source, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
      assertThat(SourceText.read(source.toString()).lines()).containsExactly("int main;");
      Files.setPosixFilePermissions(
          source, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
      assertThat(SourceText.read(source.toString()).why()).contains("not everybody");
      Path link = open.resolve("b.c");
      Files.createSymbolicLink(link, Path.of("/etc/passwd"));
      assertThat(SourceText.read(link.toString()).why()).contains("not named like");
      assertThat(SourceText.read("a.c").why()).contains("no whole path");
      assertThat(SourceText.read("/dev/null.c").why()).contains("not on this machine");
      assertThat(SourceText.read("/etc/shadow").lines()).isEmpty();
    } finally {
      try (var files = Files.walk(open)) {
        files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  @Test
  void aTreeIsCutBelowAPixelAndMoreComesNearAPlace() throws Exception {
    Map<?, ?> whole = ask("tree?type=" + CPU);
    assertThat(number(map(whole.get("cut")).get("stacks"))).isZero();
    Map<?, ?> cut = ask("tree?keep=0&width=100&type=" + CPU);
    assertThat(depths(cut)).hasSizeLessThanOrEqualTo(depths(whole).size());
    assertThat(depths(whole)).isNotEmpty();
    assertThat(number(map(cut.get("cut")).get("below"))).isCloseTo(1.0 / 400, within(1e-9));
    assertThat(store.span().map(TimeRange::fromNanos)).isPresent();
  }

  private static List<?> depths(Map<?, ?> graph) {
    return (List<?>) map(map(graph.get("tree")).get("nodes")).get("depths");
  }
}
