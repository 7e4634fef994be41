package dev.plumb.server;

import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;

/** Questions of the page wait for their turn, all of them: each may be heavy. */
record ApiTurns(Traffic traffic) implements Filter {
  @Override
  public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
    if (!request.path().path().startsWith("/api/")) {
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
