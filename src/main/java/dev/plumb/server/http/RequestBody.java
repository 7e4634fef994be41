package dev.plumb.server.http;

import io.helidon.http.HeaderNames;
import io.helidon.http.HttpException;
import io.helidon.http.RequestException;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Reads request bodies within limits, gzipped or plain. */
public final class RequestBody {
  private static final int PIECE = 64 * 1024;

  /** Many clients read a response only after they have sent everything, so this much is skipped. */
  public static final int MOST_PASSED_OVER = 64 << 20;

  private RequestBody() {}

  /** The body, decoded by its Content-Encoding; {@code max} holds for both forms. */
  public static byte[] read(ServerRequest request, int max) {
    return read(request, request.headers().first(HeaderNames.CONTENT_ENCODING).orElse(""), max);
  }

  /** The body as it came. */
  public static byte[] raw(ServerRequest request, int max) {
    return read(request, "identity", max);
  }

  private static byte[] read(ServerRequest request, String encoding, int wanted) {
    checkEncoding(encoding);
    if (!request.content().hasEntity()) {
      return new byte[0];
    }
    int max = BodyMemoryBudget.largestBody(wanted);
    try (InputStream body = request.content().inputStream()) {
      try {
        if (request.headers().contentLength().orElse(0) > max) {
          throw tooLarge(max);
        }
        InputStream in = new LimitedBodyStream(body, max);
        return isPlain(encoding) ? all(in, max) : unpacked(in, max);
      } catch (Refusal e) {
        if (e.code() == ErrorCode.TOO_LARGE) {
          new LimitedBodyStream(body, MOST_PASSED_OVER).transferTo(OutputStream.nullOutputStream());
        }
        throw e;
      }
    } catch (Refusal | HttpException | RequestException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Helidon has an exception of its own for each way in which a body can end early.
      throw Refusal.invalid("the body is incomplete: it ended early, or its chunks are damaged");
    }
  }

  /** Unpacks while it reads, so that the packed form is never in memory as a whole. */
  private static byte[] unpacked(InputStream in, int max) throws IOException {
    try (GZIPInputStream gzip = new GZIPInputStream(in, 16 * 1024)) {
      return all(gzip, max);
    } catch (ZipException | EOFException e) {
      throw damaged(e);
    }
  }

  private static boolean isPlain(String encoding) {
    return encoding.isEmpty() || encoding.equals("identity");
  }

  private static void checkEncoding(String encoding) {
    if (!isPlain(encoding) && !encoding.equals("gzip") && !encoding.equals("x-gzip")) {
      throw new Refusal(
          ErrorCode.UNSUPPORTED,
          "unknown compression \"%s\": supported encodings are gzip".formatted(encoding));
    }
  }

  /** The bytes after {@code from}, decoded by {@code encoding}. */
  public static byte[] unpack(byte[] body, int from, String encoding, int max) {
    checkEncoding(encoding);
    if (isPlain(encoding)) {
      BodyMemoryBudget.take(body.length - from);
      return Arrays.copyOfRange(body, from, body.length);
    }
    return gunzip(new ByteArrayInputStream(body, from, body.length - from), max);
  }

  public static boolean isGzip(byte[] bytes) {
    return bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
  }

  /** Refuses a zip bomb as soon as its output is longer than {@code max}. */
  public static byte[] gunzip(byte[] packed, int max) {
    return gunzip(new ByteArrayInputStream(packed), max);
  }

  private static byte[] gunzip(InputStream packed, int wanted) {
    try (GZIPInputStream in = new GZIPInputStream(packed, 16 * 1024)) {
      return all(in, BodyMemoryBudget.largestBody(wanted));
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  private static Refusal damaged(IOException e) {
    return Refusal.invalid("the gzip data is damaged or cut short (%s)", e.getMessage());
  }

  static Refusal tooLarge(int max) {
    return new Refusal(
        ErrorCode.TOO_LARGE,
        "more than %d bytes: send smaller profiles, more often".formatted(max));
  }

  private static byte[] all(InputStream in, int max) throws IOException {
    long before = BodyMemoryBudget.held();
    List<byte[]> pieces = new ArrayList<>();
    int length = 0;
    byte[] piece = in.readNBytes(PIECE);
    while (piece.length > 0) {
      length += piece.length;
      if (length > max) {
        throw tooLarge(max);
      }
      // The bytes exist twice: as pieces and as one array.
      BodyMemoryBudget.take(2L * piece.length);
      pieces.add(piece);
      piece = piece.length < PIECE ? new byte[0] : in.readNBytes(PIECE);
    }
    if (pieces.size() == 1) {
      BodyMemoryBudget.backTo(before + length);
      return pieces.getFirst();
    }
    byte[] whole = new byte[length];
    int at = 0;
    for (byte[] one : pieces) {
      System.arraycopy(one, 0, whole, at, one.length);
      at += one.length;
    }
    BodyMemoryBudget.backTo(before + length);
    return whole;
  }
}
