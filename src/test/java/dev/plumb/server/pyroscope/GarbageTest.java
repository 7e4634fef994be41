package dev.plumb.server.pyroscope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.ServerInOwnProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is hardly HTTP: never the server's fault, and it answers the next request. */
class GarbageTest {
  private static final int REQUESTS = 1_500;
  private static final long SEED = 20_261_118;

  private static final List<String> PATHS =
      List.of(
          "/ready",
          "/ingest?name=a.cpu",
          "/ingest?name=%zz",
          "/ingest?name=a&format=jfr",
          "/ingest?name=a%00.cpu&from=%ff",
          "/%",
          "/%c0%af..%2f",
          "/login?token=%",
          "/push.v1.PusherService/Push",
          "/querier.v1.QuerierService/Series",
          "/querier.v1.QuerierService/SelectMergeStacktraces",
          "/pyroscope/render?query=%7B&from=x&until=-1",
          "/v1development/profiles",
          "/metrics",
          "*",
          "http://[::1",
          "/" + "a".repeat(3_000));

  private static final List<String> HEADERS =
      List.of(
          "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: garbage",
          "Upgrade: websocket\r\nConnection: Upgrade",
          "Content-Type: application/json",
          "Content-Type: application/proto",
          "Content-Type: application/x-protobuf",
          "Content-Type: application/grpc",
          "Content-Type: multipart/form-data; boundary=b",
          "Content-Type: multipart/form-data; boundary=",
          "Content-Type: ;;;",
          "Content-Encoding: gzip",
          "Content-Encoding: br",
          "Transfer-Encoding: gzip, chunked",
          "Expect: 100-continue",
          "Expect: nothing",
          "Cookie: plumb=; =;;",
          "Authorization: Basic ====",
          "Accept-Encoding: gzip;q=x",
          "Range: bytes=-1-",
          "X-Long: " + "y".repeat(5_000),
          "X-Huge: " + "z".repeat(40_000),
          "X-Odd: \u0001\u007f",
          ": empty",
          "no colon");

  private static final List<String> LENGTHS =
      List.of(
          "Content-Length: %d",
          "Content-Length: %d",
          "Content-Length: %d",
          "Content-Length: -%d",
          "Content-Length: %d\r\nContent-Length: 7",
          "Content-Length: 99999999999999999999",
          "Content-Length: x",
          "Transfer-Encoding: chunked",
          "Transfer-Encoding: chunked\r\nContent-Length: %d");

  private static final List<String> BODIES =
      List.of(
          "",
          "main;work 1",
          "{\"a\":",
          "{\"start\":\"x\",\"labelSelector\":\"{\"}",
          "\u001f\u008b\b\0\0\0\0\0\0\u0003garbage",
          "--b\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\nX\r\n--b--\r\n",
          "--b\r\n--b\r\n--b",
          "ffffffffffffffff\r\nabc\r\n0\r\n\r\n",
          "5\r\nabc\r\n0\r\n\r\n",
          "-1\r\nabc\r\n",
          "3;x=\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\u0004\b");

  private static <T> T any(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  private static byte[] request(Random random) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String body = any(BODIES, random);
    String method = any(List.of("GET", "POST", "POST", "POST", "PUT", "\u0001", "OPTIONS"), random);
    String version = any(List.of("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9"), random);
    StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(any(PATHS, random)).append(' ').append(version);
    head.append("\r\nHost: localhost\r\n");
    for (int i = random.nextInt(4); i > 0; i--) {
      head.append(any(HEADERS, random)).append("\r\n");
    }
    head.append(any(LENGTHS, random).formatted(body.length())).append("\r\n\r\n").append(body);
    out.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    byte[] bytes = out.toByteArray();
    if (random.nextInt(5) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return bytes;
  }

  /** All answers to what was sent on one connection, as numbers of their first lines. */
  private static String exchange(int port, byte[] request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(15_000);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(request);
        socket.shutdownOutput();
        socket.getInputStream().transferTo(all);
      } catch (SocketTimeoutException e) {
        throw new AssertionError("no answer to " + shown(request), e);
      } catch (SocketException e) {
        // Closed before all was sent, as it may be.
      }
      return all.toString(StandardCharsets.ISO_8859_1);
    }
  }

  private static String shown(byte[] request) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    return text.length() > 400 ? text.substring(0, 400) : text;
  }

  @Test
  void isTheClientsFault(@TempDir Path folder) throws Exception {
    Random random = new Random(SEED);
    TreeMap<String, Integer> statuses = new TreeMap<>();
    try (ServerInOwnProcess server = ServerInOwnProcess.start(folder, 96)) {
      for (int i = 0; i < REQUESTS; i++) {
        byte[] request = request(random);
        String answer = exchange(server.port(), request);
        String status = answer.length() < 12 ? "closed" : answer.substring(9, 12);
        statuses.merge(status, 1, Integer::sum);
        assertThat(answer)
            .as(shown(request))
            .doesNotContainPattern("HTTP/1.1 5(?!03)")
            .doesNotContainPattern("(?s)HTTP/1.1 503(?!.*Retry-After)");
      }
      assertThat(statuses.getOrDefault("400", 0)).as("%s", statuses).isGreaterThan(REQUESTS / 10);
      String good = "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      assertThat(exchange(server.port(), good.getBytes(StandardCharsets.US_ASCII)))
          .startsWith("HTTP/1.1 200");
      assertThat(server.log()).doesNotContain("a request failed").doesNotContain("OutOfMemory");
    }
  }
}
