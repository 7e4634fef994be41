package dev.plumb.server;

import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/**
 * Ignores requests to switch to another protocol, as a server may (RFC 9110, 7.8): HTTP/2 clients
 * speak HTTP/2 from the start. Helidon's upgrade answers damaged settings with 500, and a proxy in
 * front of the server would not see the requests after the upgrade.
 */
final class UpgradeHeaderRemover implements Http1ConnectionListener {
  @Override
  public void headers(ConnectionContext context, Headers headers) {
    if (headers instanceof WritableHeaders<?> changeable) {
      changeable.remove(HeaderNames.UPGRADE);
    }
  }
}
