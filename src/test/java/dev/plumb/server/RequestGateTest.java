package dev.plumb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.server.schedule.QueryScheduler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in, and under which name. */
class RequestGateTest {
  private static final String TOKEN = "correct horse battery";

  @TempDir Path folder;

  /** A request as bytes: Java's own client sends no wrong Host. */
  private static String raw(TestServer server, String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.server.port())) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void bodiesThatAreNotWholeAreTheClientsFault() throws IOException {
    try (TestServer server = TestServer.start(folder)) {
      String head = "POST /ingest?name=a.cpu HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
      for (String rest :
          List.of(
              "Content-Length: 99\r\n\r\nmain 1",
              "Transfer-Encoding: chunked\r\n\r\n4\r\nmain",
              "Transfer-Encoding: chunked\r\n\r\nzz\r\nmain\r\n0\r\n\r\n",
              "Content-Length: -5\r\n\r\nmain 1",
              "Content-Length: 99999999999\r\n\r\nmain 1",
              "Content-Length: 6\r\nContent-Length: 7\r\n\r\nmain 1")) {
        assertThat(raw(server, head + rest)).as(rest).containsPattern("^(HTTP/1.1 4|$)");
      }
      assertThat(get(server, "/ready", "localhost")).startsWith("HTTP/1.1 200");
    }
  }

  /** Most clients read nothing until they have sent all. */
  @Test
  void bodiesThatAreTooLargeAreToldSo() throws IOException {
    try (TestServer server = TestServer.start(folder)) {
      String head = "POST /ingest?name=a.cpu HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
      String plain = head + "Content-Length: " + (18 << 20) + "\r\n\r\n" + "x".repeat(18 << 20);
      assertThat(raw(server, plain)).startsWith("HTTP/1.1 413").contains("send smaller profiles");
      String chunk = Integer.toHexString(18 << 20) + "\r\n" + "x".repeat(18 << 20);
      String chunked = head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "\r\n0\r\n\r\n";
      assertThat(raw(server, chunked)).startsWith("HTTP/1.1 413").contains("send smaller profiles");
    }
  }

  private static String get(TestServer server, String path, String host) throws IOException {
    return raw(
        server, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, host));
  }

  @Test
  void namesOfOthersAreRefused() throws IOException {
    try (TestServer server = TestServer.start(folder)) {
      int port = server.server.port();
      for (String ours : List.of("localhost", "127.0.0.1", "[::1]", "LOCALHOST")) {
        assertThat(get(server, "/ready", ours + ":" + port)).startsWith("HTTP/1.1 200");
        assertThat(get(server, "/ready", ours)).startsWith("HTTP/1.1 200");
      }
      for (String theirs :
          List.of(
              "evil.example", "localhost.evil.example:" + port, "8.8.8.8", "127.0.0.1.nip.io")) {
        assertThat(get(server, "/ready", theirs))
            .startsWith("HTTP/1.1 403")
            .contains("\"code\":\"permission_denied\"");
      }
    }
  }

  @Test
  void pagesOfOthersMayNotSend() {
    try (TestServer server = TestServer.start(folder)) {
      byte[] body = "main 1".getBytes(StandardCharsets.UTF_8);
      String path = "/ingest?name=app.cpu";
      String own = "http://127.0.0.1:" + server.server.port();
      assertThat(server.post(path, body, "Origin", own).statusCode()).isEqualTo(200);
      assertThat(server.post(path, body, "Origin", "http://evil.example").statusCode())
          .isEqualTo(403);
      assertThat(server.post(path, body, "Origin", "null").statusCode()).isEqualTo(403);
      assertThat(server.post(path, body, "Sec-Fetch-Site", "cross-site").statusCode())
          .isEqualTo(403);
    }
  }

  /** A page elsewhere cannot read an answer, but could make the server compute it. */
  @Test
  void pagesOfOthersMayNotAsk() {
    try (TestServer server = TestServer.start(folder)) {
      String own = "http://127.0.0.1:" + server.server.port();
      for (String path : List.of("/metrics", "/pyroscope/render?query=x&from=now-1h")) {
        int fine = server.get(path).statusCode();
        assertThat(fine).isNotEqualTo(403);
        assertThat(server.get(path, "Origin", own).statusCode()).isEqualTo(fine);
        for (String site : List.of("same-origin", "none")) {
          assertThat(server.get(path, "Sec-Fetch-Site", site).statusCode()).isEqualTo(fine);
        }
        for (String origin : List.of("http://evil.example", "null", "http://127.0.0.1:1")) {
          assertThat(server.get(path, "Origin", origin).statusCode()).isEqualTo(403);
        }
        for (String site : List.of("cross-site", "same-site")) {
          assertThat(server.get(path, "Sec-Fetch-Site", site).statusCode()).isEqualTo(403);
          String[] link = {"Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate"};
          assertThat(server.get(path, link).statusCode()).isEqualTo(403);
          assertThat(server.get("/ready", link).statusCode()).isEqualTo(200);
          assertThat(server.get("/login", link).statusCode()).isEqualTo(200);
        }
      }
    }
  }

  @Test
  void wishesForAnotherProtocolAreLeftOut() throws IOException {
    try (TestServer server = TestServer.start(folder)) {
      for (String settings : List.of("garbage", "!!!", "", "AAMAAABkAAQAoAAAAAIAAAAA")) {
        String answer =
            raw(
                server,
                "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings,"
                    + " close\r\nUpgrade: h2c\r\nHTTP2-Settings: %s\r\n\r\n".formatted(settings));
        assertThat(answer).as(settings).startsWith("HTTP/1.1 200");
      }
    }
  }

  @Test
  void everyAnswerTellsBrowsersWhatNotToDo() {
    try (TestServer server = TestServer.start(folder)) {
      for (String path : List.of("/ready", "/nothing", "/metrics")) {
        HttpResponse<byte[]> answer = server.get(path);
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
            .contains("default-src 'none'")
            .contains("frame-ancestors 'none'")
            .doesNotContain("unsafe-eval");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      }
    }
  }

  @Test
  void pathsDoNotLeadOut() throws IOException {
    try (TestServer server = TestServer.start(folder)) {
      for (String path :
          List.of(
              "/../../etc/passwd",
              "/a/../../etc/passwd",
              "/%2e%2e/%2e%2e/etc/passwd",
              "/..%2f..%2fetc/passwd",
              "/a%5c..%5cb",
              "/%00")) {
        String answer = get(server, path, "localhost");
        assertThat(answer).as(path).containsPattern("^HTTP/1.1 40[04]");
        assertThat(answer).doesNotContain("root:");
      }
    }
  }

  @Test
  void theTokenOpens() {
    ServerOptions options = ServerOptions.LOCAL.listen("127.0.0.1:0").withToken(TOKEN);
    try (TestServer server = TestServer.start(folder, options)) {
      assertThat(server.get("/ready").statusCode()).isEqualTo(200);
      HttpResponse<byte[]> refused = server.get("/metrics");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate").orElse("")).contains("Bearer");
      assertThat(TestServer.text(refused)).contains("\"code\":\"unauthenticated\"");
      assertThat(server.get("/metrics", "Authorization", "Bearer " + TOKEN).statusCode())
          .isEqualTo(200);
      assertThat(server.get("/metrics", "Authorization", "Bearer wrong").statusCode())
          .isEqualTo(401);
      assertThat(server.get("/metrics", "Authorization", basic("anybody:" + TOKEN)).statusCode())
          .isEqualTo(200);
      assertThat(server.get("/metrics", "Authorization", basic("anybody:x")).statusCode())
          .isEqualTo(401);
      assertThat(server.get("/metrics", "Authorization", "Basic ???").statusCode()).isEqualTo(401);
      assertThat(server.get("/metrics", "Cookie", "plumb=" + TOKEN).statusCode()).isEqualTo(401);
      assertThat(server.get("/", "Accept", "text/html").statusCode()).isEqualTo(303);
      assertThat(server.post("/querier.v1.QuerierService/ProfileTypes", new byte[0]).statusCode())
          .isEqualTo(401);
    }
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void signingInGivesACookieThatIsNotTheToken() {
    ServerOptions options = ServerOptions.LOCAL.listen("127.0.0.1:0").withToken(TOKEN);
    try (TestServer server = TestServer.start(folder, options)) {
      assertThat(TestServer.text(server.get("/login"))).contains("<form");
      assertThat(server.get("/login?token=wrong").statusCode()).isEqualTo(401);
      HttpResponse<byte[]> answer = server.get("/login?token=" + TOKEN.replace(" ", "%20"));
      assertThat(answer.statusCode()).isEqualTo(303);
      String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie).contains("HttpOnly").contains("SameSite=Strict").doesNotContain("horse");
      String pair = cookie.substring(0, cookie.indexOf(';'));
      assertThat(server.get("/metrics", "Cookie", pair).statusCode()).isEqualTo(200);
      byte[] form = ("token=" + TOKEN.replace(" ", "+")).getBytes(StandardCharsets.UTF_8);
      assertThat(server.post("/login", form).statusCode()).isEqualTo(303);
    }
  }

  @Test
  void beyondLoopbackATokenIsNeeded() {
    ServerOptions open = ServerOptions.LOCAL.listen("0.0.0.0:0");
    assertThatThrownBy(() -> PlumbServer.start(open, new QueryScheduler(), List.of()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("--token-file");
    try (PlumbServer server =
        PlumbServer.start(open.withToken(TOKEN), new QueryScheduler(), List.of())) {
      assertThat(server.port()).isPositive();
    }
  }

  @Test
  void aTakenPortIsOneClearLine() {
    try (TestServer server = TestServer.start(folder)) {
      int port = server.server.port();
      assertThatThrownBy(
              () ->
                  PlumbServer.start(
                      ServerOptions.LOCAL.listen("127.0.0.1:" + port),
                      new QueryScheduler(),
                      List.of()))
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("127.0.0.1:" + port)
          .hasMessageContaining("--listen")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void readsAddresses() {
    assertThat(ServerOptions.LOCAL.listen(":99").port()).isEqualTo(99);
    assertThat(ServerOptions.LOCAL.listen("99").host()).isEqualTo("127.0.0.1");
    assertThat(ServerOptions.LOCAL.listen("[::1]:99").host()).isEqualTo("::1");
    assertThat(ServerOptions.LOCAL.listen("[::1]").port()).isEqualTo(4040);
    assertThat(ServerOptions.LOCAL.listen("0.0.0.0").host()).isEqualTo("0.0.0.0");
    for (String wrong : List.of("a:b", ":99999", "::1:x")) {
      assertThatThrownBy(() -> ServerOptions.LOCAL.listen(wrong))
          .isInstanceOf(ServerException.class);
    }
  }
}
