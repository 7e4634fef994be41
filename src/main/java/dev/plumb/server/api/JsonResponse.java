package dev.plumb.server.api;

import dev.plumb.export.wire.Json;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Sends answers, smaller where the client can read that. */
final class JsonResponse {
  /** Below this, gzip gains nothing worth its header. */
  private static final int LEAST_TO_PACK = 1024;

  private JsonResponse() {}

  /** Large answers go out as they are packed, not packed first. */
  static void send(ServerRequest request, ServerResponse response, Json json) {
    response.header(HeaderNames.CONTENT_TYPE, "application/json; charset=utf-8");
    response.header(HeaderNames.CACHE_CONTROL, "no-store");
    if (json.length() < LEAST_TO_PACK) {
      response.send(json.toString().getBytes(StandardCharsets.UTF_8));
      return;
    }
    boolean packed = takesGzip(request);
    if (packed) {
      response.header(HeaderNames.CONTENT_ENCODING, "gzip");
      response.header(HeaderNames.VARY, "Accept-Encoding");
    }
    try (OutputStream plain = new BufferedOutputStream(response.outputStream(), 1 << 16);
        OutputStream out = packed ? new Gzip(plain, Deflater.BEST_SPEED) : plain) {
      json.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static boolean takesGzip(ServerRequest request) {
    return request
        .headers()
        .first(HeaderNames.ACCEPT_ENCODING)
        .map(accepted -> accepted.toLowerCase(Locale.ROOT).contains("gzip"))
        .orElse(false);
  }

  static byte[] gzip(byte[] plain, int level) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(plain.length / 3 + 64);
    try (OutputStream out = new Gzip(packed, level)) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  private static final class Gzip extends GZIPOutputStream {
    Gzip(OutputStream out, int level) throws IOException {
      super(out, 16 * 1024);
      def.setLevel(level);
    }
  }
}
