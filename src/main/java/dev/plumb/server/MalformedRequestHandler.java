package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;

/**
 * Answers what is not HTTP, or too long to be read, with the same error body as everything else.
 */
final class MalformedRequestHandler implements DirectHandler {
  static DirectHandlers handlers() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, new MalformedRequestHandler());
    }
    return handlers.build();
  }

  /**
   * Exceptions of services are answered before they come here. What remains comes from the code
   * that reads the request's head, which has a status of its own for only some malformed heads.
   */
  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType type,
      Status given,
      ServerResponseHeaders headers,
      String message) {
    boolean unreadable = given.code() == 500;
    Status status = unreadable ? Status.BAD_REQUEST_400 : given;
    String reason = unreadable ? "the request is not complete HTTP" : message;
    String text = reason == null || reason.isEmpty() ? status.reasonPhrase() : reason;
    return TransportResponse.builder()
        .status(status)
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .entity(Refusal.json(ErrorCode.ofStatus(status.code()), text))
        .keepAlive(false)
        .build();
  }
}
