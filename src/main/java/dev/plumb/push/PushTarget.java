package dev.plumb.push;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;

/**
 * Where to push to.
 *
 * @param url the receiver's URL, without the path of its API
 * @param authorization the value of the Authorization header; empty for none
 * @param tenant for receivers with several tenants; empty for none
 * @param authorities CA certificates in PEM; if given, only these are trusted
 */
public record PushTarget(
    Protocol protocol, URI url, String authorization, String tenant, Optional<Path> authorities) {
  /** The receiver's API. */
  public enum Protocol {
    PYROSCOPE,
    OTLP
  }

  /** A target by its URL, which may contain a user and a password. */
  public static PushTarget of(Protocol protocol, String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' is not a URL; write http://host:4040".formatted(withoutPassword(url)));
    }
    boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!web || uri.getHost() == null) {
      throw new IllegalArgumentException(
          "'%s' is not the URL of a server; write http://host:4040"
              .formatted(withoutPassword(url)));
    }
    String user = uri.getUserInfo();
    String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceAll("/+$", "");
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    URI bare = URI.create(uri.getScheme() + "://" + uri.getHost() + port + path);
    return new PushTarget(protocol, bare, user == null ? "" : basic(user), "", Optional.empty());
  }

  private static String withoutPassword(String url) {
    return url.replaceAll("//[^/]*@", "//***@");
  }

  public PushTarget withToken(String token) {
    return new PushTarget(protocol, url, "Bearer " + token, tenant, authorities);
  }

  /** {@code user:password}. */
  public PushTarget withUser(String userAndPassword) {
    return new PushTarget(protocol, url, basic(userAndPassword), tenant, authorities);
  }

  public PushTarget withTenant(String name) {
    return new PushTarget(protocol, url, authorization, name, authorities);
  }

  public PushTarget withAuthorities(Path certificates) {
    return new PushTarget(protocol, url, authorization, tenant, Optional.of(certificates));
  }

  private static String basic(String userAndPassword) {
    byte[] bytes = userAndPassword.getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(bytes);
  }
}
