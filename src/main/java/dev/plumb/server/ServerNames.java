package dev.plumb.server;

import io.helidon.common.socket.PeerInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** The host names and addresses by which clients may address this server. */
final class ServerNames {
  private final Set<String> names = new HashSet<>();

  ServerNames(ServerOptions options) {
    names.add("localhost");
    names.add(options.host().toLowerCase(Locale.ROOT));
    options.names().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    String own = System.getenv().getOrDefault("HOSTNAME", "");
    if (!own.isEmpty()) {
      names.add(own.toLowerCase(Locale.ROOT));
    }
  }

  boolean contain(String authority, PeerInfo local) {
    String host = host(authority).toLowerCase(Locale.ROOT);
    if (names.contains(host)) {
      return true;
    }
    // Names are not looked up: only a literal address counts as an address.
    boolean literal = host.matches("[0-9.]+") || host.indexOf(':') >= 0;
    if (!literal) {
      return false;
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress()
          || local.address() instanceof InetSocketAddress socket
              && address.equals(socket.getAddress());
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Without port and brackets. */
  private static String host(String authority) {
    if (authority.startsWith("[")) {
      int end = authority.indexOf(']');
      return end < 0 ? "" : authority.substring(1, end);
    }
    int colon = authority.indexOf(':');
    return colon < 0 ? authority : authority.substring(0, colon);
  }
}
