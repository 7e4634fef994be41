package dev.plumb.server.api;

import dev.plumb.export.wire.Json;
import dev.plumb.server.http.GzipResponse;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Sends JSON; large answers are packed while they are sent, not before. */
final class JsonResponse {
  private JsonResponse() {}

  static void send(ServerRequest request, ServerResponse response, Json json) {
    response.header(HeaderNames.CONTENT_TYPE, "application/json; charset=utf-8");
    response.header(HeaderNames.CACHE_CONTROL, "no-store");
    if (json.length() < GzipResponse.LEAST_TO_PACK) {
      response.send(json.toString().getBytes(StandardCharsets.UTF_8));
      return;
    }
    boolean packed = GzipResponse.isAccepted(request);
    if (packed) {
      GzipResponse.announce(response);
    }
    try (OutputStream plain = new BufferedOutputStream(response.outputStream(), 1 << 16);
        OutputStream out = packed ? GzipResponse.packing(plain) : plain) {
      json.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
