package dev.plumb.server.http;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Sends response bodies, gzipped where the client accepts that and it is worth it. */
public final class GzipResponse {
  /** Below this size, gzip gains nothing worth its header. */
  public static final int LEAST_TO_PACK = 1024;

  private GzipResponse() {}

  /** Whether the client accepts gzip. */
  public static boolean isAccepted(ServerRequest request) {
    return request
        .headers()
        .first(HeaderNames.ACCEPT_ENCODING)
        .map(accepted -> accepted.toLowerCase(Locale.ROOT).contains("gzip"))
        .orElse(false);
  }

  /** Announces a gzipped body. */
  public static void announce(ServerResponse response) {
    response.header(HeaderNames.CONTENT_ENCODING, "gzip");
    response.header(HeaderNames.VARY, "Accept-Encoding");
  }

  public static void send(ServerRequest request, ServerResponse response, byte[] body) {
    if (body.length < LEAST_TO_PACK || !isAccepted(request)) {
      response.send(body);
      return;
    }
    announce(response);
    response.send(pack(body, Deflater.BEST_SPEED));
  }

  public static byte[] pack(byte[] plain, int level) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(plain.length / 3 + 64);
    try (OutputStream out = new Gzip(packed, level)) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  /** Packs what is written; fast, because on a local network time counts for more than size. */
  public static OutputStream packing(OutputStream out) throws IOException {
    return new Gzip(out, Deflater.BEST_SPEED);
  }

  private static final class Gzip extends GZIPOutputStream {
    Gzip(OutputStream out, int level) throws IOException {
      super(out, 16 * 1024);
      def.setLevel(level);
    }
  }
}
