package dev.plumb.server;

import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/**
 * Leaves out wishes to go on in another protocol, as a server may (RFC 9110, 7.8): whoever speaks
 * HTTP/2 here does so from the start. The server's own way to change answers damaged settings with
 * 500, and a proxy in front would not see what is asked after the change.
 */
final class UpgradeHeaderRemover implements Http1ConnectionListener {
  @Override
  public void headers(ConnectionContext context, Headers headers) {
    if (headers instanceof WritableHeaders<?> changeable) {
      changeable.remove(HeaderNames.UPGRADE);
    }
  }
}
