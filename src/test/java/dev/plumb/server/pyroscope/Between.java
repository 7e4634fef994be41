package dev.plumb.server.pyroscope;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** Stands between a client and the server, and keeps what goes through. */
final class Between implements AutoCloseable {
  private static final List<String> PASSED_ON =
      List.of("Content-Type", "Content-Encoding", "Authorization", "User-Agent");

  private final HttpServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String target;
  private final Path folder;
  private final List<Passed> passed = new ArrayList<>();

  /** A request: where its body is, and how it was answered. */
  record Passed(String path, String contentType, Path body, int status, long millis) {}

  Between(String target, Path folder) throws IOException {
    this.target = target;
    this.folder = folder;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::pass);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void pass(HttpExchange exchange) throws IOException {
    byte[] body;
    try (InputStream in = exchange.getRequestBody()) {
      body = in.readAllBytes();
    }
    String path = exchange.getRequestURI().toASCIIString();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target + path))
            .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
    for (String name : PASSED_ON) {
      String value = exchange.getRequestHeaders().getFirst(name);
      if (value != null) {
        request.header(name, value);
      }
    }
    try {
      long started = System.nanoTime();
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      long millis = (System.nanoTime() - started) / 1_000_000;
      synchronized (passed) {
        Path file = Files.write(folder.resolve("body." + passed.size()), body);
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        passed.add(new Passed(path, type, file, answer.statusCode(), millis));
      }
      exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
      exchange.getResponseBody().write(answer.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      exchange.close();
    }
  }

  List<Passed> passed() {
    synchronized (passed) {
      return List.copyOf(passed);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    client.close();
  }
}
