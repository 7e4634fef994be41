package dev.plumb.server.pyroscope.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.ProfileType;
import dev.plumb.server.TestServer;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.SmallPprof;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles that arrive twice. */
class SeenProfilesTest {
  private static final String PUSH = "/push.v1.PusherService/Push";
  private static final String[] LABELS = {"__name__", "process_cpu", "service_name", "app"};
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");

  @TempDir Path folder;

  private static byte[] pprof() {
    return new SmallPprof()
        .type("cpu", "nanoseconds")
        .period("cpu", "nanoseconds", 10)
        .time(System.currentTimeMillis() * 1_000_000, 1)
        .sample("main", new long[] {7})
        .bytes();
  }

  private static long total(TestServer server) {
    return server.store.merged(Selection.of(CPU, Selector.ALL, TimeRange.ALL)).total(0);
  }

  private static int push(TestServer server, byte[] request) {
    HttpResponse<byte[]> answer = server.post(PUSH, request, "Content-Type", "application/proto");
    return answer.statusCode();
  }

  @Test
  void pushedTwiceIsStoredOnce() {
    try (TestServer server = TestServer.strict(folder)) {
      byte[] request = SmallPprof.pushWithId("734fd599", pprof(), LABELS);
      assertThat(push(server, request)).isEqualTo(200);
      assertThat(push(server, request)).isEqualTo(200);
      assertThat(total(server)).isEqualTo(7);
      assertThat(server.scheduler.counters().rejected()).containsEntry("duplicate", 1L);
      // Others, and those without an id, count each time.
      push(server, SmallPprof.pushWithId("734fd59a", pprof(), LABELS));
      push(server, SmallPprof.pushWithId("734fd599", pprof(), "__name__", "process_cpu", "a", "b"));
      push(server, SmallPprof.push(pprof(), LABELS));
      push(server, SmallPprof.push(pprof(), LABELS));
      assertThat(total(server)).isEqualTo(35);
    }
  }

  @Test
  void refusedMayComeAgain() {
    try (TestServer server = TestServer.strict(folder)) {
      assertThat(push(server, SmallPprof.pushWithId("a", new byte[] {1, 2, 3}, LABELS)))
          .isEqualTo(400);
      assertThat(push(server, SmallPprof.pushWithId("a", pprof(), LABELS))).isEqualTo(200);
      assertThat(total(server)).isEqualTo(7);
    }
  }

  /** One sample of CPU time; an id of zeros is none. */
  private static byte[] otlp(byte[] id) {
    ProtoOut strings = new ProtoOut();
    for (String text : new String[] {"", "cpu", "nanoseconds"}) {
      strings.element(5, text);
    }
    strings.message(7, new ProtoOut());
    ProtoOut type = new ProtoOut().number(1, 1).number(2, 2);
    ProtoOut profile =
        new ProtoOut()
            .message(1, type)
            .message(2, new ProtoOut().message(4, new ProtoOut().varint(7)))
            .fixed64(3, System.currentTimeMillis() / 60_000 * 60_000 * 1_000_000)
            .message(5, type)
            .number(6, 10)
            .bytes(7, id);
    ProtoOut resource = new ProtoOut().message(2, new ProtoOut().message(2, profile));
    return new ProtoOut().message(1, resource).message(2, strings).toBytes();
  }

  private static void export(TestServer server, byte[] request) {
    HttpResponse<byte[]> answer =
        server.post("/v1development/profiles", request, "Content-Type", "application/x-protobuf");
    assertThat(answer.statusCode()).as(TestServer.text(answer)).isEqualTo(200);
  }

  @Test
  void exportedTwiceIsStoredOnce() {
    try (TestServer server = TestServer.strict(folder)) {
      byte[] id = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      byte[] request = otlp(id);
      export(server, request);
      export(server, request);
      assertThat(total(server)).isEqualTo(7);
      export(server, otlp(new byte[16]));
      export(server, otlp(new byte[16]));
      assertThat(total(server)).isEqualTo(21);
    }
  }

  @Test
  void remembersTheLatestOnly() {
    long[] now = {0};
    SeenProfiles seen = new SeenProfiles(() -> now[0]);
    SeriesLabels series = new SeriesLabels().add("a", "b");
    for (int i = 0; i < 30_000; i++) {
      assertThat(seen.once(series, "id" + i, () -> {})).isTrue();
    }
    assertThat(seen.size()).isLessThanOrEqualTo(10_000);
    assertThat(seen.once(series, "id29999", () -> {})).isFalse();
    assertThat(seen.once(series, "id25000", () -> {})).isFalse();
    assertThat(seen.once(series, "id5", () -> {})).isTrue();
    now[0] = Duration.ofMinutes(61).toNanos();
    assertThat(seen.once(series, "id29999", () -> {})).isTrue();
    assertThat(seen.size()).isEqualTo(1);
  }

  @Test
  void oneThatIsBeingStoredMayFailYet() {
    SeenProfiles seen = new SeenProfiles(System::nanoTime);
    SeriesLabels series = new SeriesLabels().add("a", "b");
    seen.once(
        series,
        "x",
        () ->
            assertThatThrownBy(() -> seen.once(series, "x", () -> {}))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("send it again"));
    assertThat(seen.once(series, "x", () -> {})).isFalse();
  }
}
