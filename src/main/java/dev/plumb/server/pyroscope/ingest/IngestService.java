package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.pprof.Pprof;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Labels;
import dev.plumb.server.http.BodyMemoryBudget;
import dev.plumb.server.http.JsonValue;
import dev.plumb.server.http.MultipartBody;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import dev.plumb.server.pyroscope.wire.TimeParameter;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code POST /ingest}, the endpoint that most of Pyroscope's clients push to. */
public final class IngestService implements HttpService {
  private static final int MAX_BODY = 16 << 20;
  private static final int MAX_TYPES = 64;

  private final ProfileIntake intake;

  public IngestService(ProfileIntake intake) {
    this.intake = intake;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.post("/ingest", this::ingest).post("/pyroscope/ingest", this::ingest);
  }

  private void ingest(ServerRequest request, ServerResponse response) {
    AppName name = AppName.parse(request.query().first("name").orElse(""));
    Window window = Window.of(request);
    byte[] body = RequestBody.read(request, MAX_BODY);
    String contentType = request.headers().first(HeaderNames.CONTENT_TYPE).orElse("");
    boolean multipart = contentType.toLowerCase(java.util.Locale.ROOT).contains("multipart/");
    String format = request.query().first("format").orElse("");
    String spy = request.query().first("spyName").orElse("");
    if (format.isEmpty() && multipart) {
      format = "pprof";
    }
    switch (format) {
      case "pprof" -> pprof(name, spy, window, body, multipart ? contentType : "");
      case "jfr" -> jfr(name, spy, window, body, multipart ? contentType : "");
      case "", "folded", "lines", "trie", "tree", "speedscope" ->
          text(format, name, spy, window, body, contentType);
      default ->
          throw Refusal.invalid(
              "unknown format '%s': folded, lines, trie, tree, pprof, jfr and speedscope are known",
              format.length() > 40 ? format.substring(0, 40) : format);
    }
    response.send();
  }

  /** When the profile was recorded, and how often samples were taken. */
  record Window(long startNanos, long durationNanos, long sampleRate) {
    static Window of(ServerRequest request) {
      long now = System.currentTimeMillis();
      long from = TimeParameter.millis(request.query().first("from").orElse("now-10s"), now);
      long until = TimeParameter.millis(request.query().first("until").orElse("now"), now);
      String rate = request.query().first("sampleRate").orElse("100");
      if (!rate.matches("\\d{1,9}")) {
        throw Refusal.invalid("sampleRate must be a number of samples per second");
      }
      // Clients send 0 for profiles that are not sampled.
      long samples = Long.parseLong(rate) == 0 ? 100 : Long.parseLong(rate);
      // pyroscope-go's Flush sends an end that lies before the start; Pyroscope goes by the start.
      long start = TimeParameter.nanos(from);
      return new Window(start, Math.max(0, TimeParameter.nanos(until) - start), samples);
    }
  }

  private void text(
      String format, AppName name, String spy, Window window, byte[] body, String contentType) {
    PushedType type = PushedType.of(name.type());
    SeriesLabels series = name.series(name.withoutType(), spy).name(type.name());
    Labels labels = intake.labels(series);
    byte[] plain = intake.unpack(body, series);
    boolean binaryTrie = contentType.startsWith("binary/octet-stream+trie");
    boolean binaryTree = contentType.startsWith("binary/octet-stream+tree");
    String kind = binaryTrie ? "trie" : binaryTree ? "tree" : format;
    intake.reading(
        ParsingMemory.ofText(plain.length, intake.limits()),
        () ->
            intake.take(
                kind.isEmpty() ? "folded" : kind,
                series,
                labels,
                plain.length,
                () ->
                    read(kind, plain, new NamedStacks(intake.limits(), type, window.sampleRate()))
                        .recording(window.startNanos(), window.durationNanos())));
  }

  private static NamedStacks read(String kind, byte[] plain, NamedStacks stacks) {
    switch (kind) {
      case "lines" -> TextFormats.lines(plain, stacks);
      case "trie" -> TextFormats.trie(plain, stacks);
      case "tree" -> TextFormats.tree(plain, stacks);
      case "speedscope" -> SpeedscopeReader.read(plain, stacks);
      default -> TextFormats.folded(plain, stacks);
    }
    return stacks;
  }

  private void pprof(AppName name, String spy, Window window, byte[] body, String contentType) {
    Map<String, byte[]> parts =
        contentType.isEmpty() ? Map.of("profile", body) : MultipartBody.parse(body, contentType);
    if (!parts.containsKey("profile")) {
      throw Refusal.invalid("the body has no part named 'profile'");
    }
    if (parts.containsKey("prev_profile")) {
      throw Refusal.invalid(
          "cumulative profiles with a prev_profile are not supported: update the client");
    }
    SeriesLabels series = name.series(name.app(), spy);
    byte[] plain = intake.unpack(parts.get("profile"), series);
    series.name(nameOf(plain, parts.get("sample_type_config")));
    intake.pprof("pprof", series, timed(plain, window));
  }

  /** Adds the request's time to a profile without a timestamp. */
  private static byte[] timed(byte[] plain, Window window) {
    ProtoIn in = new ProtoIn(plain);
    long time = 0;
    try {
      while (in.next()) {
        time = in.field() == Pprof.TIME_NANOS ? in.number() : time;
      }
    } catch (FormatException e) {
      return plain;
    }
    if (time != 0) {
      return plain;
    }
    byte[] tail =
        new ProtoOut()
            .number(Pprof.TIME_NANOS, window.startNanos())
            .number(Pprof.DURATION_NANOS, window.durationNanos())
            .toBytes();
    BodyMemoryBudget.take(plain.length);
    byte[] whole = java.util.Arrays.copyOf(plain, plain.length + tail.length);
    System.arraycopy(tail, 0, whole, plain.length, tail.length);
    return whole;
  }

  /** The profile's name: what the client calls its value types, or else what pprof calls them. */
  private static String nameOf(byte[] plain, byte[] config) {
    List<String> types = typesOf(plain);
    if (types.contains("wall")) {
      return "wall";
    }
    Map<String, String> shown = config == null ? Map.of() : displayNames(config);
    for (String type : types) {
      if (shown.containsKey(type)) {
        return PushedType.nameOfValue(shown.get(type));
      }
    }
    return types.isEmpty() ? "unknown" : PushedType.nameOfValue(types.getLast());
  }

  /** Decodes only the strings that name a type, because there may be very many others. */
  private static List<String> typesOf(byte[] plain) {
    try {
      List<Long> numbers = new ArrayList<>();
      ProtoIn in = new ProtoIn(plain);
      while (in.next() && numbers.size() < MAX_TYPES) {
        if (in.field() == Pprof.SAMPLE_TYPE) {
          ProtoIn type = in.message();
          while (type.next() && numbers.size() < MAX_TYPES) {
            if (type.field() == Pprof.VALUE_TYPE_TYPE) {
              numbers.add(type.number());
            }
          }
        }
      }
      Map<Long, String> strings = new HashMap<>();
      long index = 0;
      ProtoIn again = new ProtoIn(plain);
      while (again.next()) {
        if (again.field() == Pprof.STRING_TABLE) {
          if (numbers.contains(index) && again.length() <= 100) {
            strings.put(index, again.string());
          }
          index++;
        }
      }
      return numbers.stream().filter(strings::containsKey).map(strings::get).toList();
    } catch (FormatException e) {
      throw Refusal.invalid("the profile is not pprof: %s", e.getMessage());
    }
  }

  private static Map<String, String> displayNames(byte[] config) {
    Map<String, String> names = new HashMap<>();
    JsonValue json = JsonValue.parse(new String(config, StandardCharsets.UTF_8));
    if (json instanceof JsonValue.Members types) {
      types
          .values()
          .forEach(
              (type, settings) -> {
                if (settings instanceof JsonValue.Members members
                    && members.values().get("display-name") instanceof JsonValue.Text(String text)
                    && !text.isEmpty()) {
                  names.put(type, text);
                }
              });
    }
    return names;
  }

  private void jfr(AppName name, String spy, Window window, byte[] body, String contentType) {
    Map<String, byte[]> parts =
        contentType.isEmpty() ? Map.of("jfr", body) : MultipartBody.parse(body, contentType);
    if (!parts.containsKey("jfr")) {
      throw Refusal.invalid("the body has no part named 'jfr'");
    }
    SeriesLabels all = name.series(name.app(), spy);
    byte[] plain = intake.unpack(parts.get("jfr"), all);
    all.name("process_cpu");
    Labels labels = intake.labels(all);
    intake.reading(
        ParsingMemory.ofFlightRecording(plain.length, intake.limits()),
        () ->
            intake.take(
                "jfr",
                all,
                labels,
                plain.length,
                () -> JfrReader.read(plain, window, intake.limits())));
  }
}
