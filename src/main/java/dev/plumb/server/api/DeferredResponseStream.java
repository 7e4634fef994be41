package dev.plumb.server.api;

import io.helidon.http.Header;
import io.helidon.webserver.http.ServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * A response body that starts only when there is enough of it. An error before that still becomes
 * an error response and not a broken file.
 */
final class DeferredResponseStream extends OutputStream {
  private static final int BEGIN = 1 << 16;

  private final ServerResponse response;
  private final List<Header> headers;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private OutputStream out;

  DeferredResponseStream(ServerResponse response, List<Header> headers) {
    this.response = response;
    this.headers = headers;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    held.write(bytes, from, length);
    if (held.size() >= BEGIN) {
      begin();
      held.writeTo(out);
      held.reset();
    }
  }

  private void begin() {
    if (out == null) {
      headers.forEach(response::header);
      out = response.outputStream();
    }
  }

  /** Sends the rest; everything has been written. */
  void finish() throws IOException {
    if (out == null) {
      headers.forEach(response::header);
      response.send(held.toByteArray());
    } else {
      held.writeTo(out);
      out.close();
    }
  }
}
