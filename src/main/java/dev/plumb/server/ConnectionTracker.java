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
 * The connections that are open. One is idle until the head of a request is there, from the first
 * byte to the last, and again after the answer; whoever sends nothing, or a byte now and then,
 * keeps no place: idle ones are closed after a time, soon if there are many, and at once if there
 * are so many that a new client would have to wait.
 */
final class ConnectionTracker implements AutoCloseable {
  private static final byte[] TOO_SLOW =
      "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private static final Duration LOOK = Duration.ofMillis(500);

  /**
   * How long they may last.
   *
   * @param many so many or more have to hurry
   * @param most of more the one that is idle longest is closed
   * @param idle between requests, and for the head of one
   * @param hurry the same if there are many
   * @param busy one request, with its answer
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

  /** By the client's address; those that went idle last stand last. */
  private final Map<SocketAddress, Connection> open = new LinkedHashMap<>();

  private final Thread closer;

  ConnectionTracker(Limits limits, boolean secure) {
    this.limits = limits;
    this.secure = secure;
    this.closer = Thread.ofVirtual().name("plumb-connections").start(this::look);
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

  /** The head of a request is there. */
  void begins(SocketAddress client) {
    synchronized (open) {
      Connection one = open.get(client);
      if (one != null && one.running++ == 0) {
        one.sinceNanos = System.nanoTime();
      }
    }
  }

  /** Its answer is given. */
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

  private void look() {
    try {
      while (true) {
        Thread.sleep(LOOK);
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
      // The server ends.
    }
  }

  /** Nothing was sent on one that has had no answer, so that this cannot block. */
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
