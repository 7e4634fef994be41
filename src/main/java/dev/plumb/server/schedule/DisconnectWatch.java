package dev.plumb.server.schedule;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cancels queries whose client has disconnected, by interrupting their threads.
 *
 * <p>A thread that computes an answer does not read its connection and so does not notice that it
 * was closed. The kernel does: once the other side has closed or reset a connection, {@code
 * /proc/self/net/tcp} no longer lists it as established, whatever protocol runs on it. A client
 * that only shuts down its sending side counts as gone, as with most servers.
 */
final class DisconnectWatch {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);
  private static final String ESTABLISHED = "01";
  private static final String MAPPED = "0000000000000000FFFF0000";

  /** A running query and the endpoints of its connection as the kernel writes them. */
  private record Query(Thread thread, String v4, String v6) {}

  private final Set<Query> running = ConcurrentHashMap.newKeySet();
  private boolean watching;

  /** Runs a query as long as its client stays connected. */
  <T> T whileConnected(InetSocketAddress server, InetSocketAddress client, Callable<T> task)
      throws Exception {
    String ends = ":%04X %s:%04X";
    String address = hex(client.getAddress());
    boolean four = client.getAddress() instanceof Inet4Address;
    Query query =
        new Query(
            Thread.currentThread(),
            four ? ends.formatted(server.getPort(), address, client.getPort()) : "",
            ends.formatted(server.getPort(), four ? MAPPED + address : address, client.getPort()));
    running.add(query);
    watch();
    try {
      return task.call();
    } finally {
      running.remove(query);
    }
  }

  private synchronized void watch() {
    if (!watching) {
      watching = true;
      Thread.ofPlatform().daemon().name("plumb-client-watch").start(this::check);
    }
  }

  /** Runs as long as there are queries to watch. */
  private void check() {
    try {
      while (true) {
        Thread.sleep(CHECK_INTERVAL);
        synchronized (this) {
          if (running.isEmpty()) {
            watching = false;
            return;
          }
        }
        // A query that begins while the tables are read may be missing from them.
        List<Query> before = List.copyOf(running);
        established().ifPresent(open -> cancelDisconnected(before, open));
      }
    } catch (InterruptedException e) {
      // Nobody interrupts this thread.
    }
  }

  private void cancelDisconnected(List<Query> queries, Set<String> open) {
    for (Query query : queries) {
      boolean connected = open.contains(query.v4()) || open.contains(query.v6());
      if (!connected && running.contains(query)) {
        query.thread().interrupt();
      }
    }
  }

  /** {@code :LOCALPORT REMOTE:PORT} of each connection; empty if the tables cannot be read. */
  private static Optional<Set<String>> established() {
    Set<String> open = new HashSet<>();
    boolean readable = false;
    for (Path table : TABLES) {
      try (BufferedReader in = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
        readable = true;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          String[] fields = line.strip().split("\\s+", 5);
          if (fields.length == 5 && fields[3].equals(ESTABLISHED)) {
            open.add(fields[1].substring(fields[1].indexOf(':')) + " " + fields[2]);
          }
        }
      } catch (IOException e) {
        // A kernel without IPv6 has no second table.
      }
    }
    return readable ? Optional.of(open) : Optional.empty();
  }

  /** The kernel writes an address as 32-bit words in the machine's byte order. */
  private static String hex(InetAddress address) {
    byte[] bytes = address.getAddress();
    StringBuilder text = new StringBuilder();
    for (int word = 0; word < bytes.length; word += 4) {
      for (int i = word + 3; i >= word; i--) {
        text.append(String.format(Locale.ROOT, "%02X", bytes[i] & 0xff));
      }
    }
    return text.toString();
  }
}
