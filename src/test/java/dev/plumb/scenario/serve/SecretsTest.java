package dev.plumb.scenario.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.plumb.testing.OwnProcess;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.RequiresRoot;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nobody else may read, and what must not reach a terminal. */
class SecretsTest {
  @TempDir Path folder;

  private static String mode(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private static void setMode(Path file, String mode) throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  /** In a folder that somebody made before, which others may enter. */
  @Test
  void theStoresFilesAreTheOwnersAlone() throws Exception {
    Path store = Files.createDirectories(folder.resolve("store"));
    setMode(store, "rwxr-xr-x");
    try (OwnProcess serve =
        OwnProcess.start(
            folder,
            Map.of(),
            "serve",
            "--no-watch",
            "--listen",
            "127.0.0.1:0",
            "--store",
            store.toString())) {
      serve.await("Ctrl-C to quit");
      assertThat(serve.said()).contains("others may enter " + store).contains("chmod 700 " + store);
      String address = serve.said().replaceAll("(?s).*(http://localhost:\\d+/).*", "$1");
      HttpRequest push =
          HttpRequest.newBuilder(URI.create(address + "ingest?name=app.cpu"))
              .POST(HttpRequest.BodyPublishers.ofString("main;work 7\n"))
              .build();
      try (HttpClient client = HttpClient.newHttpClient()) {
        assertThat(client.send(push, HttpResponse.BodyHandlers.discarding()).statusCode())
            .isEqualTo(200);
      }
      try (Stream<Path> files = Files.walk(store)) {
        List<Path> all = files.filter(file -> !file.equals(store)).toList();
        assertThat(all).hasSizeGreaterThan(3);
        for (Path file : all) {
          assertThat(mode(file)).as("%s", file).endsWith("------");
        }
      }
      assertThat(serve.end()).isZero();
      assertThat(mode(store.resolve("plumb.duckdb"))).isEqualTo("rw-------");
    }
  }

  @Test
  void secretsThatOthersMayReadAreRefused() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "correct horse battery\n");
    setMode(token, "rw-r--r--");
    PlumbCommand.Result serve =
        PlumbCommand.run(
            "serve", "--no-watch", "--token-file", token.toString(), "--store", folder + "/store");
    assertThat(serve.code()).isEqualTo(2);
    assertThat(serve.err())
        .contains("others may read the token file")
        .contains("chmod 600 " + token);
    PlumbCommand.Result push =
        PlumbCommand.run(
            "record", "-d", "60", "--push", "http://h:1", "--push-auth-file", token.toString());
    assertThat(push.code()).isEqualTo(2);
    assertThat(push.err()).contains("chmod 600 " + token);
  }

  @Test
  void passwordsInAddressesAreNotPrinted() {
    PlumbCommand.Result result =
        PlumbCommand.run("record", "-d", "60", "--push", "ftp://me:hidden@host:1");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("***@host:1").doesNotContain("hidden");
    PlumbCommand.Result broken =
        PlumbCommand.run("record", "-d", "60", "--push", "http://me:hid den@host:1");
    assertThat(broken.err()).doesNotContain("hid den");
  }

  /** On an idle machine there would be nothing to push. */
  private static final List<String> BUSY =
      List.of("--", "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");

  /** A receiver that answers with what a terminal would obey. */
  @Test
  @RequiresRoot
  void receiversGetThePasswordAndNotTheTerminal() throws Exception {
    Map<String, String> seen = new ConcurrentHashMap<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          seen.put("auth", String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          byte[] answer = "no\u001b[2J\u202e\nplumb: fine".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(400, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    Path auth = Files.writeString(folder.resolve("auth"), "you:other\n");
    setMode(auth, "rw-------");
    try {
      for (List<String> more : List.of(List.<String>of(), List.of("--push-auth-file", "" + auth))) {
        String[] args =
            Stream.of(List.of("record", "--push", url), more, BUSY)
                .flatMap(List::stream)
                .toArray(String[]::new);
        try (OwnProcess record =
            OwnProcess.start(folder, Map.of("PLUMB_PUSH_AUTH", "me:secret"), args)) {
          record.await("refused");
          Thread.sleep(200);
          assertThat(record.said()).doesNotContain("\u001b[2J").doesNotContain("\u202e");
          assertThat(record.said().lines()).noneMatch(line -> line.equals("plumb: fine"));
        }
        String user = more.isEmpty() ? "me:secret" : "you:other";
        String basic = Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
        assertThat(seen).containsEntry("auth", "Basic " + basic);
      }
    } finally {
      server.stop(0);
    }
  }
}
