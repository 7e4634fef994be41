package dev.plumb.server;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The open connections. A connection is idle until the head of a request has arrived completely,
 * and again after the response. A client that sends nothing, or a byte now and then, must not keep
 * its place: idle connections are closed after a time, sooner if there are many, and at once if
 * there are so many that a new client would have to wait.
 */
final class ConnectionTracker implements AutoCloseable {
  private static final byte[] TOO_SLOW =
      "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  /**
   * How many connections there may be, and how long they may last.
   *
   * @param many from this number on, {@code hurry} holds instead of {@code idle}
   * @param most beyond this number, the connection that has been idle longest is closed
   * @param idle time between requests, and for the head of a request
   * @param hurry the same while there are many connections
   * @param busy time for one request and its response
   */
  record Limits(int many, int most, Duration idle, Duration hurry, Duration busy) {
    static final Limits DEFAULT =
        new Limits(
            500, 1_000, Duration.ofSeconds(30), Duration.ofSeconds(3), Duration.ofMinutes(5));
  }

  private static final class Connection {
    final SocketChannel channel;
    long sinceNanos = System.nanoTime();
    int running;
    boolean answered;

    Connection(SocketChannel channel) {
      this.channel = channel;
    }
  }

  private final Limits limits;
  private final boolean secure;

  /** By the client's address; the connection that became idle last comes last. */
  private final Map<SocketAddress, Connection> open = new LinkedHashMap<>();

  private final Thread closer;

  ConnectionTracker(Limits limits, boolean secure) {
    this.limits = limits;
    this.secure = secure;
    this.closer = Thread.ofVirtual().name("plumb-connections").start(this::closeLate);
  }

  void opened(SocketChannel channel) throws IOException {
    SocketAddress client = channel.getRemoteAddress();
    synchronized (open) {
      open.put(client, new Connection(channel));
      if (open.size() > limits.most()) {
        closeLongestIdle();
      }
    }
  }

  private void closeLongestIdle() {
    Iterator<Connection> all = open.values().iterator();
    while (all.hasNext()) {
      Connection one = all.next();
      if (one.running == 0) {
        boolean wasOpen = one.channel.isOpen();
        all.remove();
        close(one);
        if (wasOpen) {
          return;
        }
      }
    }
  }

  /** The head of a request has arrived. */
  void begins(SocketAddress client) {
    synchronized (open) {
      Connection one = open.get(client);
      if (one != null && one.running++ == 0) {
        one.sinceNanos = System.nanoTime();
      }
    }
  }

  /** The response has been sent. */
  void ends(SocketAddress client) {
    synchronized (open) {
      Connection one = open.get(client);
      if (one != null && --one.running == 0) {
        one.answered = true;
        one.sinceNanos = System.nanoTime();
        open.remove(client);
        open.put(client, one);
      }
    }
  }

  int size() {
    synchronized (open) {
      return open.size();
    }
  }

  private void closeLate() {
    try {
      while (true) {
        Thread.sleep(CHECK_INTERVAL);
        List<Connection> late = new ArrayList<>();
        synchronized (open) {
          open.values().removeIf(one -> !one.channel.isOpen());
          long idle = (open.size() < limits.many() ? limits.idle() : limits.hurry()).toNanos();
          long now = System.nanoTime();
          open.values()
              .removeIf(
                  one -> {
                    long most = one.running > 0 ? limits.busy().toNanos() : idle;
                    return now - one.sinceNanos > most && late.add(one);
                  });
        }
        late.forEach(this::close);
      }
    } catch (InterruptedException e) {
      // The server stops.
    }
  }

  /** Writes only where no response was sent before, so that the write cannot block. */
  private void close(Connection one) {
    try (SocketChannel channel = one.channel) {
      if (!secure && !one.answered && one.running == 0 && channel.isOpen()) {
        channel.write(ByteBuffer.wrap(TOO_SLOW));
      }
    } catch (IOException e) {
      // The client has left.
    }
  }

  @Override
  public void close() {
    closer.interrupt();
  }
}
