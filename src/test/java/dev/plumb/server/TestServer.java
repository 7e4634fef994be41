package dev.plumb.server;

import dev.plumb.server.api.ApiService;
import dev.plumb.server.api.ServerInfo;
import dev.plumb.server.metrics.DebugPprofService;
import dev.plumb.server.metrics.MetricSource;
import dev.plumb.server.metrics.MetricsService;
import dev.plumb.server.metrics.StoreMetrics;
import dev.plumb.server.pyroscope.PyroscopeServices;
import dev.plumb.server.pyroscope.ingest.IngestLimits;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.engine.Store;
import io.helidon.webserver.http.HttpService;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A real server on a real store in a folder, and a client for it. */
public final class TestServer implements AutoCloseable {
  public final Store store;
  public final QueryScheduler scheduler = new QueryScheduler();
  public final PlumbServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private TestServer(
      Path folder, ServerOptions options, IngestLimits limits, List<MetricSource> sources) {
    store = Store.open(StoreOptions.of(folder.resolve("store")));
    List<HttpService> services = new ArrayList<>();
    services.addAll(PyroscopeServices.queries(store, scheduler));
    services.addAll(PyroscopeServices.ingest(store, limits, scheduler));
    List<MetricSource> all = new ArrayList<>(sources);
    all.add(new StoreMetrics(store, Optional.of(folder.resolve("store"))));
    services.add(new MetricsService(scheduler, all));
    services.add(new DebugPprofService(store, scheduler, Duration.ZERO));
    services.add(new ApiService(store, new ServerInfo("test-host", "0.1.0", () -> false)));
    server = PlumbServer.start(options, scheduler, services);
  }

  /** On any free port of loopback; takes profiles of any age. */
  public static TestServer start(Path folder) {
    return start(folder, ServerOptions.LOCAL.listen("127.0.0.1:0"));
  }

  public static TestServer start(Path folder, ServerOptions options) {
    return new TestServer(
        folder, options, IngestLimits.DEFAULT.withMaxAge(Duration.ofDays(36_500)), List.of());
  }

  public static TestServer start(Path folder, List<MetricSource> sources) {
    return new TestServer(
        folder, ServerOptions.LOCAL.listen("127.0.0.1:0"), IngestLimits.DEFAULT, sources);
  }

  public static TestServer strict(Path folder) {
    return new TestServer(
        folder, ServerOptions.LOCAL.listen("127.0.0.1:0"), IngestLimits.DEFAULT, List.of());
  }

  public String address() {
    return "http://127.0.0.1:" + server.port();
  }

  public HttpResponse<byte[]> get(String path, String... headers) {
    return send(request(path, headers).GET());
  }

  public HttpResponse<byte[]> post(String path, byte[] body, String... headers) {
    return send(request(path, headers).POST(HttpRequest.BodyPublishers.ofByteArray(body)));
  }

  public HttpResponse<byte[]> postJson(String path, String body) {
    return post(path, body.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json");
  }

  private HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(address() + path)).timeout(Duration.ofSeconds(60));
    return headers.length == 0 ? builder : builder.headers(headers);
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new AssertionError("no answer to " + request.build(), e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.close();
    client.close();
    store.close();
  }
}
