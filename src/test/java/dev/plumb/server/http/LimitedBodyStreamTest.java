package dev.plumb.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitedBodyStreamTest {
  /** A byte now and then is no body: it is cut off soon after the first seconds. */
  @Test
  void aBodyThatTricklesInIsCutOff(@TempDir Path folder) throws Exception {
    try (TestServer server = TestServer.start(folder);
        Socket socket = new Socket("127.0.0.1", server.server.port())) {
      socket.setSoTimeout(200);
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST /ingest?name=a.cpu HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      long start = System.nanoTime();
      String answer = "";
      while (answer.isEmpty() && System.nanoTime() - start < 30_000_000_000L) {
        answer = next(socket, out);
      }
      assertThat(answer).startsWith("HTTP/1.1 408");
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThan(Duration.ofSeconds(LimitedBodyStream.GRACE_SECONDS - 1));
    }
  }

  private static String next(Socket socket, OutputStream out) throws IOException {
    try {
      out.write('x');
      out.flush();
      byte[] first = socket.getInputStream().readNBytes(12);
      return first.length == 0 ? "closed" : new String(first, StandardCharsets.US_ASCII);
    } catch (SocketTimeoutException e) {
      return "";
    } catch (SocketException e) {
      return "closed: " + e.getMessage();
    }
  }
}
