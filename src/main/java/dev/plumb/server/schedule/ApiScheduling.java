package dev.plumb.server.schedule;

import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;

/**
 * Runs the page's queries through the scheduler. {@code /api/state} alone never waits: by it the
 * page knows that the server is there, however busy it is.
 */
public record ApiScheduling(QueryScheduler scheduler) implements Filter {
  @Override
  public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
    String path = request.path().path();
    if (!path.startsWith("/api/") || path.equals("/api/state")) {
      chain.proceed();
      return;
    }
    scheduler.run(
        request,
        () -> {
          chain.proceed();
          return response;
        });
  }
}
