package dev.plumb.symbols.debugfile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Downloads one file over HTTP, on a thread of its own: a server may send one byte per minute for
 * ever, so only abandoning the thread limits the time. This class, and with it the JDK's HTTP
 * client, is loaded only when a request is really made.
 */
final class Download {
  /** How it went. */
  enum Outcome {
    COMPLETE,
    NOT_THERE,
    TOO_LARGE,
    TOO_SLOW,
    UNREACHABLE,
    REFUSED
  }

  /**
   * The result.
   *
   * @param message the reason, for users; empty if the file is complete or not there
   */
  record Result(Outcome outcome, String message) {}

  private static final int CHUNK = 1 << 16;

  private final String url;
  private final Path target;
  private final long maxBytes;
  private final long deadline;
  private final int millis;
  private final AtomicReference<Result> result = new AtomicReference<>();
  private volatile boolean abandoned;

  private Download(String url, Path target, long maxBytes, Duration timeout) {
    this.url = url;
    this.target = target;
    this.maxBytes = maxBytes;
    this.deadline = System.nanoTime() + timeout.toNanos();
    this.millis = Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
  }

  /**
   * Downloads into an existing, empty file; returns when it is complete, failed, or out of time.
   */
  static Result fetch(String url, Path target, long maxBytes, Duration timeout)
      throws InterruptedException {
    Download download = new Download(url, target, maxBytes, timeout);
    Thread thread = Thread.ofPlatform().daemon().name("debuginfod").start(download::run);
    thread.join(timeout);
    Result slow = new Result(Outcome.TOO_SLOW, "no response within " + timeout.toSeconds() + " s");
    download.abandoned = download.result.compareAndSet(null, slow);
    return download.result.get();
  }

  private void run() {
    Result outcome;
    try {
      outcome = get();
    } catch (IOException | IllegalArgumentException e) {
      outcome = new Result(Outcome.UNREACHABLE, String.valueOf(e.getMessage()));
    }
    result.compareAndSet(null, outcome);
  }

  private Result get() throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setConnectTimeout(millis);
    connection.setReadTimeout(millis);
    connection.setUseCaches(false);
    connection.setRequestProperty("User-Agent", "plumb");
    try {
      int status = connection.getResponseCode();
      if (status == HttpURLConnection.HTTP_NOT_FOUND) {
        return new Result(Outcome.NOT_THERE, "");
      }
      if (status != HttpURLConnection.HTTP_OK) {
        return new Result(Outcome.REFUSED, "HTTP status " + status);
      }
      if (connection.getContentLengthLong() > maxBytes) {
        return tooLarge();
      }
      return copy(connection);
    } finally {
      connection.disconnect();
    }
  }

  private Result copy(HttpURLConnection connection) throws IOException {
    byte[] chunk = new byte[CHUNK];
    long size = 0;
    try (InputStream in = connection.getInputStream();
        // Does not create the file: if this download was abandoned, the file has been removed.
        OutputStream out = Files.newOutputStream(target, StandardOpenOption.WRITE)) {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        if (abandoned || System.nanoTime() - deadline > 0) {
          return new Result(Outcome.TOO_SLOW, "incomplete after " + millis / 1000 + " s");
        }
        size += n;
        if (size > maxBytes) {
          return tooLarge();
        }
        out.write(chunk, 0, n);
      }
    }
    long announced = connection.getContentLengthLong();
    return announced >= 0 && announced != size
        ? new Result(Outcome.UNREACHABLE, size + " of " + announced + " bytes came")
        : new Result(Outcome.COMPLETE, "");
  }

  private Result tooLarge() {
    return new Result(Outcome.TOO_LARGE, "larger than " + maxBytes + " bytes");
  }
}
