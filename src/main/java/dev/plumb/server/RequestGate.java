package dev.plumb.server;

import dev.plumb.server.http.BodyMemoryBudget;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.ServerCounters;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The filter before every service. It checks the name in the Host header, the page that the request
 * comes from, and the client's token, and adds the headers that restrict what a browser does with a
 * response.
 */
final class RequestGate implements Filter {
  private static final HeaderName FETCH_SITE = HeaderNames.create("Sec-Fetch-Site");
  private static final HeaderName FETCH_MODE = HeaderNames.create("Sec-Fetch-Mode");

  /** The paths that a link on another site may lead to; none of them computes anything. */
  private static final Set<String> ENTRANCES = Set.of("/", "/login", "/ready");

  /** Styles may be inline: the page sets sizes and colours of elements. */
  static final String CONTENT_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
          + " img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none';"
          + " form-action 'self'; frame-ancestors 'none'";

  /** The headers of every response; a service may replace them. */
  private static final List<Header> HEADERS =
      List.of(
          HeaderValues.create("Content-Security-Policy", CONTENT_POLICY),
          HeaderValues.create("X-Content-Type-Options", "nosniff"),
          HeaderValues.create("X-Frame-Options", "DENY"),
          // With no-referrer, browsers would send "Origin: null" with our own login form.
          HeaderValues.create("Referrer-Policy", "same-origin"),
          HeaderValues.create("Cross-Origin-Resource-Policy", "same-origin"),
          HeaderValues.create("Cache-Control", "no-store"));

  private final ServerNames names;
  private final TokenAccess access;
  private final ErrorResponses errors;
  private final ServerCounters counters;
  private final ConnectionTracker connections;

  RequestGate(
      ServerNames names,
      TokenAccess access,
      ErrorResponses errors,
      ServerCounters counters,
      ConnectionTracker connections) {
    this.names = names;
    this.access = access;
    this.errors = errors;
    this.counters = counters;
    this.connections = connections;
  }

  @Override
  public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
    SocketAddress client = request.remotePeer().address();
    connections.begins(client);
    BodyMemoryBudget.open();
    try {
      answer(chain, request, response);
    } finally {
      BodyMemoryBudget.giveBack();
      connections.ends(client);
    }
    closeIfAsked(request, response);
  }

  private void answer(FilterChain chain, RoutingRequest request, RoutingResponse response) {
    HEADERS.forEach(response::header);
    response.whenSent(() -> counters.request(response.status().code()));
    try {
      check(request, response);
    } catch (Refusal e) {
      errors.answer(response, e.code(), e);
    }
    if (!response.isSent()) {
      chain.proceed();
    }
  }

  private void check(RoutingRequest request, RoutingResponse response) {
    checkPath(request);
    String authority = request.authority();
    // DNS rebinding helps an attacker only where no token is required.
    if (!access.isLimited() && !names.contain(authority, request.localPeer())) {
      throw new Refusal(
          ErrorCode.PERMISSION_DENIED,
          "the name in the Host header is not this server's; use localhost or its address, or set"
              + " a token");
    }
    checkOrigin(request, authority);
    access.check(request, response);
  }

  /** Helidon announces that it closes such a connection, but waits for the client to do it. */
  private static void closeIfAsked(RoutingRequest request, RoutingResponse response) {
    boolean first = request.prologue().protocolVersion().startsWith("1");
    if (first
        && response.isSent()
        && request.headers().containsToken(HeaderValues.CONNECTION_CLOSE)) {
      throw new CloseConnectionException("the client asked for it");
    }
  }

  private static boolean isReading(Method method) {
    return method == Method.GET || method == Method.HEAD || method == Method.OPTIONS;
  }

  private static void checkPath(RoutingRequest request) {
    String path = request.path().path();
    for (String part : path.split("/", -1)) {
      if (part.equals("..") || part.indexOf('\\') >= 0 || part.indexOf('\0') >= 0) {
        throw Refusal.invalid("the path leads out of this server");
      }
    }
  }

  /**
   * Refuses requests of other sites' pages: such a page could not read the answer, but would make
   * us compute it. Browsers say where a request comes from; programs send neither header and pass.
   */
  private static void checkOrigin(RoutingRequest request, String authority) {
    String site = request.headers().first(FETCH_SITE).orElse("same-origin");
    String origin = request.headers().first(HeaderNames.ORIGIN).orElse("");
    String host = origin.substring(origin.indexOf("://") < 0 ? 0 : origin.indexOf("://") + 3);
    boolean ours =
        origin.isEmpty()
            ? site.equals("same-origin") || site.equals("none")
            : host.toLowerCase(Locale.ROOT).equals(authority.toLowerCase(Locale.ROOT));
    if (!ours && !isFollowedLink(request)) {
      throw new Refusal(
          ErrorCode.PERMISSION_DENIED,
          "pages of other sites may not send requests: open Plumb's own page");
    }
  }

  private static boolean isFollowedLink(RoutingRequest request) {
    return isReading(request.prologue().method())
        && request.headers().first(FETCH_MODE).orElse("").equals("navigate")
        && ENTRANCES.contains(request.path().path());
  }
}
