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
 * Withdraws questions whose client has left, by interrupting their threads.
 *
 * <p>Whoever computes an answer does not read its connection, and so does not see its end. The
 * kernel does: a connection that the other side has ended or reset is not among the established
 * ones of {@code /proc/self/net/tcp} any more, whatever is spoken on it. A client that only stops
 * sending counts as gone, as with most servers.
 */
final class DisconnectWatch {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

  private static final Duration LOOK = Duration.ofMillis(500);
  private static final String ESTABLISHED = "01";
  private static final String MAPPED = "0000000000000000FFFF0000";

  /** A question that runs; the ends of its connection as the kernel writes them. */
  private record Asking(Thread thread, String v4, String v6) {}

  private final Set<Asking> running = ConcurrentHashMap.newKeySet();
  private boolean watching;

  /** Runs what a client waits for. */
  <T> T whileThere(InetSocketAddress server, InetSocketAddress client, Callable<T> question)
      throws Exception {
    String ends = ":%04X %s:%04X";
    String address = hex(client.getAddress());
    boolean four = client.getAddress() instanceof Inet4Address;
    Asking asking =
        new Asking(
            Thread.currentThread(),
            four ? ends.formatted(server.getPort(), address, client.getPort()) : "",
            ends.formatted(server.getPort(), four ? MAPPED + address : address, client.getPort()));
    running.add(asking);
    watch();
    try {
      return question.call();
    } finally {
      running.remove(asking);
    }
  }

  private synchronized void watch() {
    if (!watching) {
      watching = true;
      Thread.ofPlatform().daemon().name("plumb-client-watch").start(this::look);
    }
  }

  /** Goes on as long as there is anything to look after. */
  private void look() {
    try {
      while (true) {
        Thread.sleep(LOOK);
        synchronized (this) {
          if (running.isEmpty()) {
            watching = false;
            return;
          }
        }
        // Those that came while the tables were read may not be in them.
        List<Asking> before = List.copyOf(running);
        established().ifPresent(open -> withdraw(before, open));
      }
    } catch (InterruptedException e) {
      // Nobody does that.
    }
  }

  private void withdraw(List<Asking> asked, Set<String> open) {
    for (Asking asking : asked) {
      boolean there = open.contains(asking.v4()) || open.contains(asking.v6());
      if (!there && running.contains(asking)) {
        asking.thread().interrupt();
      }
    }
  }

  /** {@code :LOCALPORT REMOTE:PORT} of each; empty if the kernel does not tell. */
  private static Optional<Set<String>> established() {
    Set<String> open = new HashSet<>();
    boolean told = false;
    for (Path table : TABLES) {
      try (BufferedReader in = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
        told = true;
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
    return told ? Optional.of(open) : Optional.empty();
  }

  /** The kernel writes an address as words of the machine, each from its last byte. */
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
