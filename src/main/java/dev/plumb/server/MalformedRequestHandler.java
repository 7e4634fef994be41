package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;

/** What is no HTTP, or too long to be some, is told so in the same form as everything else. */
final class MalformedRequestHandler implements DirectHandler {
  static DirectHandlers handlers() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, new MalformedRequestHandler());
    }
    return handlers.build();
  }

  /**
   * What services throw is answered before it comes here. What is left is of the code that reads
   * heads, which has an answer of its own only for some of what can be wrong with one.
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
    String said = unreadable ? "the request is no whole HTTP" : message;
    String text = said == null || said.isEmpty() ? status.reasonPhrase() : said;
    return TransportResponse.builder()
        .status(status)
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .entity(Refusal.json(ErrorCode.ofStatus(status.code()), text))
        .keepAlive(false)
        .build();
  }
}
