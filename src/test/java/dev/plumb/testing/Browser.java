package dev.plumb.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless Chromium, driven by WebDriver's protocol. */
public final class Browser implements AutoCloseable {
  private static final List<String> ARGUMENTS =
      List.of(
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--force-device-scale-factor=1");

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final Path home;
  private final String base;
  private String session = "";

  /** Starts one, or skips the test with the reason. */
  public static Browser start(int width, int height) throws IOException, InterruptedException {
    Optional<Path> chromium = ExternalTools.find("chromium");
    Optional<Path> chromedriver = ExternalTools.find("chromedriver");
    assumeTrue(
        chromium.isPresent() && chromedriver.isPresent(), "no chromium with its chromedriver");
    return new Browser(chromium.orElseThrow(), chromedriver.orElseThrow(), width, height);
  }

  private Browser(Path chromium, Path chromedriver, int width, int height)
      throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    home = Files.createTempDirectory("plumb-browser-");
    driver =
        new ProcessBuilder(chromedriver.toString(), "--port=" + port)
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("driver.log").toFile())
            .start();
    base = "http://127.0.0.1:" + port;
    try {
      awaitReady();
      open(chromium, width, height);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void awaitReady() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try {
        call("GET", "/status", "");
        return;
      } catch (IOException e) {
        if (System.nanoTime() > end || !driver.isAlive()) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  private void open(Path chromium, int width, int height) throws IOException, InterruptedException {
    StringBuilder arguments = new StringBuilder();
    Stream.concat(
            ARGUMENTS.stream(),
            Stream.of("--user-data-dir=" + home, "--window-size=" + width + "," + height))
        .forEach(argument -> arguments.append(',').append(TestJson.quote(argument)));
    Object answer =
        call(
            "POST",
            "/session",
            """
            {"capabilities": {"alwaysMatch": {"browserName": "chrome",
              "goog:loggingPrefs": {"browser": "ALL"},
              "goog:chromeOptions": {"binary": %s, "args": [%s]}}}}
            """
                .formatted(TestJson.quote(chromium.toString()), arguments.substring(1)));
    session = "/session/" + ((Map<?, ?>) answer).get("sessionId");
  }

  public void show(Path page) throws IOException, InterruptedException {
    show(page.toUri().toString());
  }

  public void show(String address) throws IOException, InterruptedException {
    call("POST", session + "/url", "{\"url\":" + TestJson.quote(address) + "}");
  }

  /** Runs the body of a function; a promise that it returns is waited for. */
  public Object script(String body) throws IOException, InterruptedException {
    return call(
        "POST", session + "/execute/sync", "{\"script\":" + TestJson.quote(body) + ",\"args\":[]}");
  }

  public double number(String body) throws IOException, InterruptedException {
    return ((Number) script("return " + body)).doubleValue();
  }

  public String text(String body) throws IOException, InterruptedException {
    return String.valueOf(script("return " + body));
  }

  /** Until an expression is true. */
  public void await(String expression) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!Boolean.TRUE.equals(script("return !!(" + expression + ")"))) {
      if (System.nanoTime() > end) {
        throw new IOException("never came true: " + expression);
      }
      Thread.sleep(20);
    }
  }

  public void click(double x, double y) throws IOException, InterruptedException {
    pointer(x, y, ",{\"type\":\"pointerDown\",\"button\":0},{\"type\":\"pointerUp\",\"button\":0}");
  }

  public void move(double x, double y) throws IOException, InterruptedException {
    pointer(x, y, "");
  }

  /** Drags from one place to another; a held key, such as Shift, or none. */
  public void drag(double fromX, double fromY, double toX, double toY, String held)
      throws IOException, InterruptedException {
    String keys =
        held.isEmpty()
            ? ""
            : """
            ,{"type":"key","id":"keys","actions":[{"type":"keyDown","value":%s},{"type":"pause"},
              {"type":"pause"},{"type":"pause"},{"type":"pause"},{"type":"keyUp","value":%s}]}
            """
                .formatted(TestJson.quote(held), TestJson.quote(held));
    call(
        "POST",
        session + "/actions",
        """
        {"actions":[{"type":"pointer","id":"mouse","actions":[
          {"type":"pointerMove","duration":0,"x":%d,"y":%d},{"type":"pointerDown","button":0},
          {"type":"pointerMove","duration":20,"x":%d,"y":%d},
          {"type":"pointerMove","duration":20,"x":%d,"y":%d},
          {"type":"pointerUp","button":0}]}%s]}
        """
            .formatted(
                Math.round(fromX),
                Math.round(fromY),
                Math.round((fromX + toX) / 2),
                Math.round((fromY + toY) / 2),
                Math.round(toX),
                Math.round(toY),
                keys));
  }

  public void rightClick(double x, double y) throws IOException, InterruptedException {
    pointer(x, y, ",{\"type\":\"pointerDown\",\"button\":2},{\"type\":\"pointerUp\",\"button\":2}");
  }

  /** As on a screen of that size. */
  public void resize(int width, int height) throws IOException, InterruptedException {
    call(
        "POST",
        session + "/goog/cdp/execute",
        """
        {"cmd":"Emulation.setDeviceMetricsOverride","params":
          {"width":%d,"height":%d,"deviceScaleFactor":1,"mobile":false}}
        """
            .formatted(width, height));
  }

  /** Without a network, or with one again. */
  public void offline(boolean offline) throws IOException, InterruptedException {
    call(
        "POST",
        session + "/goog/cdp/execute",
        """
        {"cmd":"Network.emulateNetworkConditions","params":
          {"offline":%b,"latency":0,"downloadThroughput":-1,"uploadThroughput":-1}}
        """
            .formatted(offline));
  }

  private void pointer(double x, double y, String then) throws IOException, InterruptedException {
    call(
        "POST",
        session + "/actions",
        """
        {"actions":[{"type":"pointer","id":"mouse","actions":[
          {"type":"pointerMove","duration":0,"x":%d,"y":%d}%s]}]}
        """
            .formatted(Math.round(x), Math.round(y), then));
  }

  /** Types on the keyboard. */
  public void keys(String keys) throws IOException, InterruptedException {
    StringBuilder actions = new StringBuilder();
    keys.chars()
        .forEach(
            c -> {
              String key = TestJson.quote(String.valueOf((char) c));
              actions.append(",{\"type\":\"keyDown\",\"value\":").append(key);
              actions.append("},{\"type\":\"keyUp\",\"value\":").append(key).append('}');
            });
    call(
        "POST",
        session + "/actions",
        "{\"actions\":[{\"type\":\"key\",\"id\":\"keys\",\"actions\":["
            + actions.substring(1)
            + "]}]}");
  }

  /** Like {@code prefers-color-scheme: dark}. */
  public void preferDark(boolean dark) throws IOException, InterruptedException {
    call(
        "POST",
        session + "/goog/cdp/execute",
        """
        {"cmd":"Emulation.setEmulatedMedia","params":{"features":[
          {"name":"prefers-color-scheme","value":"%s"}]}}
        """
            .formatted(dark ? "dark" : "light"));
  }

  /** What the console said since it was asked last. */
  public List<?> console() throws IOException, InterruptedException {
    return (List<?>) call("POST", session + "/se/log", "{\"type\":\"browser\"}");
  }

  public void screenshot(Path file) throws IOException, InterruptedException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(
        file, Base64.getDecoder().decode((String) call("GET", session + "/screenshot", "")));
  }

  private Object call(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", "application/json")
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    Object value = ((Map<?, ?>) TestJson.parse(response.body())).get("value");
    if (response.statusCode() != 200) {
      throw new IOException(method + " " + path + ": " + value);
    }
    return value;
  }

  @Override
  public void close() throws IOException {
    try {
      if (!session.isEmpty()) {
        call("DELETE", session, "");
      }
    } catch (IOException e) {
      // The driver is ended in any case.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end();
    }
  }

  private void end() throws IOException {
    http.close();
    driver.descendants().forEach(ProcessHandle::destroy);
    driver.destroy();
    try {
      driver.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(home)) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    }
  }
}
