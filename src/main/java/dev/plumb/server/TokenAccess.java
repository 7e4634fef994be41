package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * Who may ask: everybody, or who has the token as a bearer, as the password of basic authentication
 * (Pyroscope's clients and Grafana send that), or as the cookie that {@code /login} gives.
 */
final class TokenAccess {
  private static final String COOKIE = "plumb";

  /** Health checks have no token, and learn only that the server is there. */
  private static final Set<String> OPEN = Set.of("/ready", "/login");

  private final Optional<String> token;
  private final boolean secure;
  private final String cookie;
  private final WrongTokenDelay wrong = new WrongTokenDelay();

  TokenAccess(Optional<String> token, boolean secure) {
    this.token = token;
    this.secure = secure;
    this.cookie = token.map(TokenAccess::digest).orElse("");
  }

  boolean isLimited() {
    return token.isPresent();
  }

  /** The cookie does not contain the token itself, and is valid as long as the token is. */
  private static String digest(String token) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update("plumb cookie ".getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(sha.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  void check(RoutingRequest request, RoutingResponse response) {
    String path = request.path().path();
    if (token.isEmpty() || OPEN.contains(path) || isAllowed(request)) {
      return;
    }
    if (request.headers().contains(HeaderNames.AUTHORIZATION)) {
      wrong.slowDown(request.remotePeer().host());
    }
    boolean page =
        request.prologue().method() == Method.GET
            && request.headers().first(HeaderNames.ACCEPT).orElse("").contains("text/html");
    if (page) {
      response.status(Status.SEE_OTHER_303).header(HeaderNames.LOCATION, "/login").send();
      return;
    }
    response.header(HeaderNames.WWW_AUTHENTICATE, "Bearer, Basic realm=\"plumb\"");
    throw new Refusal(
        ErrorCode.UNAUTHENTICATED,
        "this server requires a token: send 'Authorization: Bearer TOKEN', or the token as the"
            + " password of basic authentication");
  }

  private boolean isAllowed(RoutingRequest request) {
    String given = request.headers().first(HeaderNames.AUTHORIZATION).orElse("");
    if (given.regionMatches(true, 0, "Bearer ", 0, 7)) {
      return isToken(given.substring(7).strip());
    }
    if (given.regionMatches(true, 0, "Basic ", 0, 6)) {
      return isToken(password(given.substring(6).strip()));
    }
    return request.headers().cookies().first(COOKIE).filter(c -> same(c, cookie)).isPresent();
  }

  private static String password(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      return pair.substring(pair.indexOf(':') + 1);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private boolean isToken(String given) {
    return token.isPresent() && same(given, token.get());
  }

  /** Whether this is the token; the answer to a wrong one is delayed. */
  boolean isToken(String given, String address) {
    boolean right = isToken(given);
    if (!right) {
      wrong.slowDown(address);
    }
    return right;
  }

  /** Takes the same time wherever the texts differ. */
  private static boolean same(String a, String b) {
    return MessageDigest.isEqual(
        a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
  }

  /** A cookie that keeps a browser signed in for a month. */
  String setCookie() {
    return "%s=%s; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict%s"
        .formatted(COOKIE, cookie, secure ? "; Secure" : "");
  }
}
