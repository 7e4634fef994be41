package dev.plumb.symbols.debugfile;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A real debuginfod that serves the files in a folder. */
public final class DebuginfodServer implements AutoCloseable {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Process process;
  private final String url;

  private DebuginfodServer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Returns when it has the file with that build id. */
  public static DebuginfodServer start(Path folder, String buildId) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process process =
        new ProcessBuilder(
                "debuginfod", "-F", "-p", "" + port, "-d", ":memory:", "-t", "1", folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    DebuginfodServer server = new DebuginfodServer(process, "http://127.0.0.1:" + port);
    long end = System.nanoTime() + START_NANOS;
    while (!server.has(buildId)) {
      if (!process.isAlive() || System.nanoTime() > end) {
        server.close();
        throw new AssertionError("debuginfod does not serve " + buildId);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    return server;
  }

  private boolean has(String buildId) {
    try {
      URI file = URI.create(url + "/buildid/" + buildId + "/debuginfo");
      return ((HttpURLConnection) file.toURL().openConnection()).getResponseCode() == 200;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  public String url() {
    return url;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }
}
