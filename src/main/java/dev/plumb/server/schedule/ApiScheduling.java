package dev.plumb.server.schedule;

import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;

/**
 * Questions of the page wait for their turn. Only the state does not, which is how the page knows
 * that the server is there however busy it is.
 */
public record ApiScheduling(QueryScheduler traffic) implements Filter {
  @Override
  public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
    String path = request.path().path();
    if (!path.startsWith("/api/") || path.equals("/api/state")) {
      chain.proceed();
      return;
    }
    traffic.turn(
        request,
        () -> {
          chain.proceed();
          return response;
        });
  }
}
