package dev.plumb.server.pyroscope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.server.TestServer;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import dev.plumb.testing.ExternalTools;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients in Go that others wrote: Pyroscope's generated one, pyroscope-go, OpenTelemetry's
 * exporter. {@code ./check} builds {@code src/test/go/clients} into {@code plumb-clients}.
 */
class GoClientsTest {
  private static final long START = 1_794_715_364_000L;
  private static final String CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

  @TempDir Path folder;

  private static void push(TestServer server, String service, int window, SmallPprof profile) {
    profile
        .type("cpu", "nanoseconds")
        .period("cpu", "nanoseconds", 10_000_000)
        .time((START + 1_000 + 15_000L * window) * 1_000_000, 15_000_000_000L);
    byte[] request =
        SmallPprof.push(profile.bytes(), "__name__", "process_cpu", "service_name", service);
    assertThat(
            server
                .post("/push.v1.PusherService/Push", request, "Content-Type", "application/proto")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void everyQuestionInEveryProtocol() throws Exception {
    Path clients = ExternalTools.need("plumb-clients");
    try (TestServer server = TestServer.start(folder)) {
      for (int window = 0; window < 4; window++) {
        push(
            server,
            "svc-a",
            window,
            new SmallPprof()
                .sample("main;run;foo", new long[] {100})
                .sample("main;gc", new long[] {60}));
        push(server, "svc-b", window, new SmallPprof().sample("main;idle", new long[] {90}));
      }
      String expected =
          """
          type %1$s process_cpu cpu nanoseconds cpu nanoseconds
          names __name__ __period_type__ __period_unit__ __profile_type__ __service_name__ \
          __type__ __unit__ service_name
          values svc-a svc-b
          series __profile_type__=%1$s,service_name=svc-a
          series __profile_type__=%1$s,service_name=svc-b
          sums service_name=svc-a 4 640 15000
          sums service_name=svc-b 4 360 15000
          limited 1 service_name=svc-a
          flame 1000 400 4 total main run foo idle gc
          tree 29
          profile 1000 cpu
          diff 640 360
          diff below 400 640 total main run foo gc
          heat service_name=svc-a 30000 90 156.5 [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2]
          heat service_name=svc-a 60000 90 156.5 [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2]
          heat service_name=svc-b 30000 90 156.5 [2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]
          heat service_name=svc-b 60000 90 156.5 [2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]
          heat of spans 0
          span 0
          span 0
          stats true 1794715365000
          error invalid_argument invalid_argument: parsing label selector "{": 1:2: parse error: \
          unexpected end of input inside braces
          """
              .formatted(CPU);
      for (String protocol : List.of("proto", "json", "grpc")) {
        String printed =
            ExternalTools.run(
                clients, "query", server.address(), protocol, START, START + 10 * 60_000);
        assertThat(printed).as(protocol).isEqualTo(expected);
      }
    }
  }

  @Test
  void whatPyroscopeGoPushesIsThereInFull() throws Exception {
    Path clients = ExternalTools.need("plumb-clients");
    try (TestServer server = TestServer.strict(folder)) {
      String printed = ExternalTools.run(clients, "push", server.address());
      assertThat(printed).contains("refused 0");
      Map<String, Long> sent = sums(printed);
      assertThat(sent).containsKeys("cpu nanoseconds", "alloc_space bytes", "inuse_objects count");
      assertThat(sent.get("cpu nanoseconds")).isGreaterThan(500_000_000L);
      Map<String, Long> stored = new TreeMap<>();
      for (ProfileType type : server.store.types(TimeRange.ALL)) {
        stored.put(type.sampleType() + " " + type.sampleUnit(), total(server, type, "go-client"));
      }
      assertThat(stored).isEqualTo(sent);
      assertThat(server.store.types(TimeRange.ALL).stream().map(ProfileType::id))
          .contains(CPU, "memory:inuse_space:bytes:space:bytes");
      assertThat(server.store.labelValues("region", Selector.ALL, TimeRange.ALL))
          .containsExactly("eu");
    }
  }

  /** Its end lies before its start. */
  @Test
  void whatPyroscopeGoFlushesIsThereInFull() throws Exception {
    Path clients = ExternalTools.need("plumb-clients");
    try (TestServer server = TestServer.strict(folder)) {
      String printed = ExternalTools.run(clients, "flush", server.address());
      assertThat(printed).contains("refused 0");
      Map<String, Long> sent = sums(printed);
      assertThat(sent).containsKeys("inuse_space bytes", "contentions count", "delay nanoseconds");
      Map<String, Long> stored = new TreeMap<>();
      for (ProfileType type : server.store.types(TimeRange.ALL)) {
        stored.merge(
            type.sampleType() + " " + type.sampleUnit(),
            total(server, type, "go-flush"),
            Long::sum);
      }
      sent.values().removeIf(sum -> sum == 0);
      assertThat(stored).isEqualTo(sent);
    }
  }

  private static Map<String, Long> sums(String printed) {
    Map<String, Long> sent = new TreeMap<>();
    printed
        .lines()
        .filter(line -> line.startsWith("sent "))
        .map(line -> line.split(" "))
        .forEach(words -> sent.put(words[1] + " " + words[2], Long.parseLong(words[3])));
    return sent;
  }

  @Test
  void openTelemetryExportsByEveryWay() throws Exception {
    Path clients = ExternalTools.need("plumb-clients");
    try (TestServer server = TestServer.strict(folder)) {
      String grpc = ExternalTools.run(clients, "otlp", "127.0.0.1:" + server.server.port(), "grpc");
      assertThat(grpc).contains("rejected 0");
      assertThat(grpc).contains("code = InvalidArgument desc = ").contains("stack 99");
      assertThat(ExternalTools.run(clients, "otlp", server.address(), "http"))
          .isEqualTo("status 200 application/x-protobuf \n");
      assertThat(ExternalTools.run(clients, "otlp", server.address(), "json"))
          .isEqualTo("status 200 application/json {}\n");
      for (String way : List.of("grpc", "http", "json")) {
        assertThat(total(server, ProfileType.parse(CPU), "otlp-" + way))
            .as(way)
            .isEqualTo(7 * 20_000_000L);
        try (Recording samples =
            server.store.samples(
                Selection.of(
                    ProfileType.parse(CPU),
                    Selector.parse("{service_name=\"otlp-" + way + "\"}"),
                    TimeRange.ALL),
                100)) {
          // Three came with their times, the other four as one sum.
          assertThat(samples.main().timeline().size()).isEqualTo(4);
        }
      }
      assertThat(server.store.labelValues("host", Selector.ALL, TimeRange.ALL))
          .containsExactly("h9");
      assertThat(server.store.labelValues("thread", Selector.ALL, TimeRange.ALL))
          .contains("worker");
    }
  }

  private static long total(TestServer server, ProfileType type, String service) {
    Profile merged =
        server.store.merged(
            Selection.of(
                type, Selector.parse("{service_name=\"" + service + "\"}"), TimeRange.ALL));
    return merged.total(0);
  }
}
