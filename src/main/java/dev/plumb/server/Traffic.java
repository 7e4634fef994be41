package dev.plumb.server;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.util.concurrent.Callable;

/** What all services of one server share: whose turn it is, and what was counted. */
public record Traffic(Turns turns, Counters counters) {
  public Traffic() {
    this(Turns.ofMachine(), new Counters());
  }

  /** Runs what is heavy when it is this client's turn. */
  public <T> T turn(ServerRequest request, Callable<T> task) {
    try {
      return turns.take(client(request), task);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Those behind one address (a proxy, one machine) are told apart by what they are. */
  private static String client(ServerRequest request) {
    return request.remotePeer().host()
        + ' '
        + request.headers().first(HeaderNames.USER_AGENT).orElse("");
  }
}
