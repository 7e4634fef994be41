package dev.plumb.server;

import dev.plumb.store.StoreException;
import io.helidon.common.tls.Tls;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpException;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http2.Http2Config;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The web server: listens, lets in, and hands requests to its services. */
public final class PlumbServer implements AutoCloseable {
  /** No request's body may be longer, whatever it is for. */
  public static final int MAX_BODY = 32 << 20;

  private static final int MAX_CONNECTIONS = 2_000;

  /** Held, because the log manager would forget it. */
  private static final Logger HELIDON = Logger.getLogger("io.helidon");

  private final WebServer server;
  private final boolean secure;
  private final String host;

  private PlumbServer(WebServer server, ServerOptions options) {
    this.server = server;
    this.secure = options.certificate().isPresent();
    this.host = options.host();
  }

  /** Starts to answer; each service names its own paths, from the root. */
  public static PlumbServer start(
      ServerOptions options, Traffic traffic, List<? extends HttpService> services) {
    InetAddress address = options.address();
    HELIDON.setLevel(Level.SEVERE);
    probe(address, options);
    Access access = new Access(options.token(), options.certificate().isPresent());
    HttpRouting.Builder routing =
        HttpRouting.builder()
            .addFilter(new Gate(new OwnNames(options), access, traffic.counters()));
    errors(routing, traffic);
    routing.register(new LoginService(access));
    routing.get("/ready", (_, response) -> response.send("ready\n"));
    services.forEach(routing::register);
    routing.any(
        (request, _) -> {
          throw new Refusal(
              Code.NOT_FOUND, "there is nothing at %s".formatted(shown(request.path().path())));
        });
    WebServerConfig.Builder config =
        WebServer.builder()
            .host(address.getHostAddress())
            .port(options.port())
            .shutdownHook(false)
            .backlog(1024)
            .maxTcpConnections(MAX_CONNECTIONS)
            .maxPayloadSize(MAX_BODY)
            .idleConnectionTimeout(Duration.ofMinutes(2))
            .idleConnectionPeriod(Duration.ofSeconds(20))
            .connectionOptions(socket -> socket.readTimeout(Duration.ofSeconds(90)))
            .directHandlers(directHandlers())
            .errorHandling(errors -> errors.includeEntity(true))
            .contentEncoding(
                encodings ->
                    encodings
                        .contentEncodingsDiscoverServices(false)
                        .addContentEncoding(new PackedAsItCame()))
            .protocolsDiscoverServices(false)
            .addProtocol(Http1Config.builder().maxHeadersSize(32 * 1024).build())
            .addProtocol(
                Http2Config.builder().maxConcurrentStreams(256).maxHeaderListSize(32_768).build())
            .featuresDiscoverServices(false)
            .addRouting(routing);
    if (options.certificate().isPresent()) {
      config.tls(
          Tls.builder()
              .sslContext(
                  Certificates.context(
                      options.certificate().orElseThrow(), options.key().orElseThrow()))
              .build());
    }
    try {
      return new PlumbServer(config.build().start(), options);
    } catch (RuntimeException e) {
      throw new ServerException(
          "the server cannot listen on %s:%d: %s"
              .formatted(options.host(), options.port(), rootMessage(e)),
          e);
    }
  }

  /** Asks the kernel first: what the server itself says of a taken port is less clear. */
  private static void probe(InetAddress address, ServerOptions options) {
    if (options.port() == 0) {
      return;
    }
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, options.port()));
    } catch (IOException e) {
      boolean low = options.port() < 1024 && String.valueOf(e.getMessage()).contains("denied");
      throw new ServerException(
          low
              ? "port %d may be listened on by root only: choose one above 1023 with --listen"
                  .formatted(options.port())
              : "cannot listen on %s:%d (%s): another program has it, perhaps another plumb serve; choose another one, e.g. --listen %s:%d"
                  .formatted(
                      options.host(),
                      options.port(),
                      e.getMessage(),
                      options.host(),
                      options.port() + 1),
          e);
    }
  }

  private static String rootMessage(Throwable e) {
    Throwable at = e;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    return String.valueOf(at.getMessage());
  }

  private static void errors(HttpRouting.Builder routing, Traffic traffic) {
    routing.error(Refusal.class, (_, response, e) -> answer(response, traffic, e.code(), e));
    routing.error(
        IllegalArgumentException.class,
        (_, response, e) -> answer(response, traffic, Code.INVALID_ARGUMENT, e));
    routing.error(
        StoreException.class, (_, response, e) -> answer(response, traffic, Code.UNAVAILABLE, e));
    routing.error(
        HttpException.class,
        (_, response, e) -> answer(response, traffic, Code.ofStatus(e.status().code()), e));
    routing.error(
        RequestException.class,
        (_, response, e) -> answer(response, traffic, Code.ofStatus(e.status().code()), e));
    routing.error(
        RuntimeException.class,
        (_, response, e) -> {
          HELIDON.log(Level.SEVERE, "a request failed", e);
          answer(response, traffic, Code.INTERNAL, e);
        });
  }

  private static void answer(ServerResponse response, Traffic traffic, Code code, Exception e) {
    traffic.counters().refusal(code);
    if (response.isSent()) {
      return;
    }
    response.status(Status.create(code.http()));
    if (code == Code.BUSY) {
      response.header(HeaderNames.RETRY_AFTER, Long.toString(traffic.turns().retryAfterSeconds()));
    }
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    response
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .send(Refusal.json(code, message).getBytes(StandardCharsets.UTF_8));
  }

  /** What is no HTTP, or too long to be some, is told so in the same form as everything else. */
  private static DirectHandlers directHandlers() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    DirectHandler json =
        (_, _, status, headers, message) ->
            DirectHandler.TransportResponse.builder()
                .status(status)
                .headers(headers)
                .header(HeaderNames.CONTENT_TYPE, "application/json")
                .entity(
                    Refusal.json(
                        Code.ofStatus(status.code()),
                        message == null || message.isEmpty() ? status.reasonPhrase() : message))
                .keepAlive(false)
                .build();
    for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
      handlers.addHandler(type, json);
    }
    return handlers.build();
  }

  private static String shown(String path) {
    return path.length() > 200 ? path.substring(0, 200) + "…" : path;
  }

  /** The port that it listens on. */
  public int port() {
    return server.port();
  }

  /** Where people find it. */
  public String address() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    boolean loopback = host.equals("127.0.0.1") || host.equals("::1");
    return "%s://%s:%d/"
        .formatted(secure ? "https" : "http", loopback ? "localhost" : name, port());
  }

  @Override
  public void close() {
    server.stop();
  }
}
