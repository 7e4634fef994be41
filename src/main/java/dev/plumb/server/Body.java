package dev.plumb.server;

import io.helidon.http.HeaderNames;
import io.helidon.http.HttpException;
import io.helidon.http.RequestException;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.zip.GZIPInputStream;

/** Bodies of requests, no longer than they may be, packed or not. */
public final class Body {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Body() {}

  /** The body, unpacked as its Content-Encoding says; both forms may be as long as {@code max}. */
  public static byte[] read(ServerRequest request, int max) {
    String encoding = request.headers().first(HeaderNames.CONTENT_ENCODING).orElse("identity");
    byte[] body = raw(request, max);
    return unpack(body, encoding, max);
  }

  /** The body as it came. */
  public static byte[] raw(ServerRequest request, int max) {
    if (!request.content().hasEntity()) {
      return new byte[0];
    }
    try (InputStream in = request.content().inputStream()) {
      return all(in, max, System.nanoTime() + PATIENCE.toNanos());
    } catch (Refusal | HttpException | RequestException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // The server has an exception of its own for each way in which a body can end early.
      throw Refusal.invalid("the body is not whole: it ended early, or its chunks are damaged");
    }
  }

  public static byte[] unpack(byte[] body, String encoding, int max) {
    return switch (encoding) {
      case "", "identity" -> body;
      case "gzip", "x-gzip" -> body.length == 0 ? body : gunzip(body, max);
      default ->
          throw new Refusal(
              Code.UNSUPPORTED,
              "unknown compression \"%s\": supported encodings are gzip".formatted(encoding));
    };
  }

  public static boolean isGzip(byte[] bytes) {
    return bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
  }

  /** A bomb is refused when it has grown to {@code max}, not later. */
  public static byte[] gunzip(byte[] packed, int max) {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed), 16 * 1024)) {
      return all(in, max, Long.MAX_VALUE);
    } catch (IOException e) {
      throw Refusal.invalid("the gzip data is damaged or cut short (%s)", e.getMessage());
    }
  }

  private static byte[] all(InputStream in, int max, long deadlineNanos) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] buffer = new byte[16 * 1024];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      if (out.size() + count > max) {
        throw new Refusal(
            Code.TOO_LARGE, "more than %d bytes: send smaller profiles, more often".formatted(max));
      }
      if (deadlineNanos != Long.MAX_VALUE && System.nanoTime() > deadlineNanos) {
        throw new Refusal(Code.TIMEOUT, "the request took too long to arrive; send it again");
      }
      // The buffer that grows is copied when it is full, and once more at the end.
      Room.take(2L * count);
      out.write(buffer, 0, count);
    }
    return out.toByteArray();
  }
}
