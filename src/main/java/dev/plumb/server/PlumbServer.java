package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import dev.plumb.server.schedule.ApiScheduling;
import dev.plumb.server.schedule.QueryScheduler;
import io.helidon.common.mapper.DefaultMapperProvider__ServiceDescriptor;
import io.helidon.common.mapper.DefaultResolverService__ServiceDescriptor;
import io.helidon.common.mapper.MappersFactory__ServiceDescriptor;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.tls.Tls;
import io.helidon.service.registry.GlobalServiceRegistry;
import io.helidon.service.registry.ServiceRegistryConfig;
import io.helidon.service.registry.ServiceRegistryManager;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http2.Http2Config;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The web server: listens, and hands requests to its services. */
public final class PlumbServer implements AutoCloseable {
  /** Twice as many as {@link ConnectionTracker} keeps open. */
  private static final int MAX_CONNECTIONS = 2_000;

  private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

  /** A strong reference, because the log manager holds only a weak one. */
  private static final Logger HELIDON = Logger.getLogger("io.helidon");

  private final WebServer server;
  private final ConnectionTracker connections;
  private final boolean secure;
  private final String host;

  private PlumbServer(WebServer server, ConnectionTracker connections, ServerOptions options) {
    this.server = server;
    this.connections = connections;
    this.secure = options.certificate().isPresent();
    this.host = options.host();
  }

  /** Starts the server; each service names its own paths, from the root. */
  public static PlumbServer start(
      ServerOptions options, QueryScheduler scheduler, List<? extends HttpService> services) {
    return start(options, scheduler, services, () -> true);
  }

  /** The same; {@code /ready} answers 200 once {@code ready} is true. */
  public static PlumbServer start(
      ServerOptions options,
      QueryScheduler scheduler,
      List<? extends HttpService> services,
      BooleanSupplier ready) {
    return start(options, scheduler, services, ready, ConnectionTracker.Limits.DEFAULT);
  }

  public static PlumbServer start(
      ServerOptions options,
      QueryScheduler scheduler,
      List<? extends HttpService> services,
      BooleanSupplier ready,
      ConnectionTracker.Limits limits) {
    InetAddress address = options.address();
    HELIDON.setLevel(Level.SEVERE);
    disableServiceDiscovery();
    probe(address, options);
    TokenAccess access = new TokenAccess(options.token(), options.certificate().isPresent());
    ErrorResponses errors = new ErrorResponses(scheduler);
    ConnectionTracker connections =
        new ConnectionTracker(limits, options.certificate().isPresent());
    HttpRouting.Builder routing =
        HttpRouting.builder()
            .addFilter(
                new RequestGate(
                    new ServerNames(options), access, errors, scheduler.counters(), connections))
            .addFilter(new ApiScheduling(scheduler));
    errors.register(routing);
    routing.register(new LoginService(access));
    routing.get(
        "/ready",
        (_, response) -> {
          if (!ready.getAsBoolean()) {
            throw new Refusal(ErrorCode.UNAVAILABLE, "recording has not begun yet");
          }
          response.send("ready\n");
        });
    services.forEach(routing::register);
    routing.any(
        (request, _) -> {
          throw new Refusal(
              ErrorCode.NOT_FOUND,
              "there is nothing at %s".formatted(shown(request.path().path())));
        });
    WebServerConfig.Builder config = config(options, address, connections).addRouting(routing);
    try {
      return new PlumbServer(config.build().start(), connections, options);
    } catch (RuntimeException e) {
      connections.close();
      throw new ServerException(
          "the server cannot listen on %s:%d: %s"
              .formatted(options.host(), options.port(), rootMessage(e)),
          e);
    }
  }

  /** Names all parts of Helidon that are used: discovering them takes a third of the start time. */
  private static void disableServiceDiscovery() {
    if (!GlobalServiceRegistry.configured()) {
      GlobalServiceRegistry.registry(
          ServiceRegistryManager.create(
                  ServiceRegistryConfig.builder()
                      .discoverServices(false)
                      .discoverServicesFromServiceLoader(false)
                      // These convert query parameters to text.
                      .addServiceDescriptor(DefaultMapperProvider__ServiceDescriptor.INSTANCE)
                      .addServiceDescriptor(DefaultResolverService__ServiceDescriptor.INSTANCE)
                      .addServiceDescriptor(MappersFactory__ServiceDescriptor.INSTANCE)
                      .build())
              .registry());
    }
  }

  private static WebServerConfig.Builder config(
      ServerOptions options, InetAddress address, ConnectionTracker connections) {
    WebServerConfig.Builder config =
        WebServer.builder()
            .host(address.getHostAddress())
            .port(options.port())
            .shutdownHook(false)
            .backlog(1024)
            .maxTcpConnections(MAX_CONNECTIONS)
            .maxPayloadSize(RequestBody.MOST_PASSED_OVER)
            .idleConnectionTimeout(Duration.ofMinutes(2))
            .idleConnectionPeriod(Duration.ofSeconds(20))
            // Channels have no read timeout: a silent client would keep its place.
            .useNio(false)
            .connectionOptions(
                new ReadTimeouts(
                    SocketOptions.builder().tcpNoDelay(true).build(), READ_TIMEOUT, connections))
            .directHandlers(MalformedRequestHandler.handlers())
            .errorHandling(handling -> handling.includeEntity(true))
            .contentEncoding(
                encodings ->
                    encodings
                        .contentEncodingsDiscoverServices(false)
                        .addContentEncoding(new RawGzipEncoding()))
            .protocolsDiscoverServices(false)
            .addProtocol(
                Http1Config.builder()
                    .maxHeadersSize(32 * 1024)
                    .addReceiveListener(new UpgradeHeaderRemover())
                    .build())
            .addProtocol(
                Http2Config.builder().maxConcurrentStreams(256).maxHeaderListSize(32_768).build())
            .featuresDiscoverServices(false);
    if (options.certificate().isPresent()) {
      config.tls(
          Tls.builder()
              .sslContext(
                  TlsCertificates.context(
                      options.certificate().orElseThrow(), options.key().orElseThrow()))
              .build());
    }
    return config;
  }

  /** Tries to bind first, because Helidon's message for a taken port is less clear. */
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
              ? "only root may listen on port %d: choose one above 1023 with --listen"
                  .formatted(options.port())
              : "cannot listen on %s:%d (%s): another program has it, perhaps another plumb serve; choose another port, e.g. --listen %s:%d"
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

  private static String shown(String path) {
    return path.length() > 200 ? path.substring(0, 200) + "…" : path;
  }

  /** The port that the server listens on. */
  public int port() {
    return server.port();
  }

  /** The address to open in a browser. */
  public String address() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    boolean loopback = host.equals("127.0.0.1") || host.equals("::1");
    return "%s://%s:%d/"
        .formatted(secure ? "https" : "http", loopback ? "localhost" : name, port());
  }

  @Override
  public void close() {
    server.stop();
    connections.close();
  }
}
