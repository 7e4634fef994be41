package dev.plumb.server.pyroscope.wire;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * One unary gRPC call over HTTP/2 (see "gRPC over HTTP2"): a message is five bytes {packed?,
 * length}, then itself; the outcome comes in the trailers.
 */
final class GrpcCall {
  private static final int PREFIX = 5;
  private static final HeaderName ENCODING = HeaderNames.create("grpc-encoding");
  private static final HeaderName STATUS = HeaderNames.create("grpc-status");
  private static final HeaderName MESSAGE = HeaderNames.create("grpc-message");

  private final ServerRequest request;
  private final ServerResponse response;

  GrpcCall(ServerRequest request, ServerResponse response) {
    this.request = request;
    this.response = response;
  }

  void run(int maxBody, UnaryOperator<byte[]> method) {
    if (!request.prologue().protocolVersion().startsWith("2")) {
      throw new Refusal(ErrorCode.UNSUPPORTED, "gRPC needs HTTP/2; send application/proto instead");
    }
    try {
      finish(method.apply(message(maxBody)), 0, "");
    } catch (Refusal e) {
      finish(new byte[0], e.code().grpc(), e.getMessage());
    }
  }

  private byte[] message(int maxBody) {
    byte[] body = RequestBody.raw(request, maxBody + PREFIX);
    if (body.length < PREFIX) {
      throw Refusal.invalid("the body is not a gRPC message");
    }
    long length = ByteBuffer.wrap(body).getInt(1) & 0xffffffffL;
    if (length != body.length - PREFIX) {
      throw Refusal.invalid("the body of %d bytes is not one gRPC message", body.length);
    }
    String encoding = request.headers().first(ENCODING).orElse("identity");
    return RequestBody.unpack(body, PREFIX, body[0] == 0 ? "identity" : encoding, maxBody);
  }

  private void finish(byte[] message, int status, String text) {
    response.header(HeaderNames.CONTENT_TYPE, "application/grpc+proto");
    response.header(HeaderNames.create("grpc-accept-encoding"), "gzip");
    response.header(HeaderNames.TRAILER, "grpc-status, grpc-message");
    response.trailers().set(STATUS, Integer.toString(status));
    if (!text.isEmpty()) {
      response.trailers().set(MESSAGE, percentEncoded(text));
    }
    if (status != 0) {
      response.send(new byte[0]);
      return;
    }
    byte[] framed =
        ByteBuffer.allocate(PREFIX + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array();
    response.send(framed);
  }

  private static String percentEncoded(String text) {
    StringBuilder result = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= 0x20 && b < 0x7f && b != '%') {
        result.append((char) b);
      } else {
        result.append("%%%02X".formatted(b & 0xff));
      }
    }
    return result.toString();
  }
}
