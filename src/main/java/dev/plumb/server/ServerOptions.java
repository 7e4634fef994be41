package dev.plumb.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where the server listens and whom it answers.
 *
 * @param host a name or address of this machine
 * @param port 0 for any free port
 * @param token what every request must carry; required beyond loopback
 * @param certificate the chain in PEM; together with {@code key}, it turns TLS on
 * @param names further names of this machine, besides its own name and addresses
 */
public record ServerOptions(
    String host,
    int port,
    Optional<String> token,
    Optional<Path> certificate,
    Optional<Path> key,
    List<String> names) {
  public static final int DEFAULT_PORT = 4040;

  /** Loopback, open to everybody on this machine. */
  public static final ServerOptions LOCAL =
      new ServerOptions(
          "127.0.0.1",
          DEFAULT_PORT,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of());

  public ServerOptions {
    names = List.copyOf(names);
    if (certificate.isPresent() != key.isPresent()) {
      throw new ServerException("TLS needs both --tls-cert and --tls-key, in PEM");
    }
    if (token.isPresent() && token.get().length() < 8) {
      throw new ServerException("the token is shorter than 8 characters: choose a longer one");
    }
  }

  /** {@code 127.0.0.1:4040}, {@code :4040}, {@code [::1]:4040}, {@code 4040}, {@code 0.0.0.0}. */
  public ServerOptions listen(String address) {
    int colon = address.lastIndexOf(':');
    boolean portOnly = colon < 0 && address.matches("\\d+");
    boolean hasPort = colon >= 0 && !address.endsWith("]");
    String portText = portOnly ? address : hasPort ? address.substring(colon + 1) : "";
    String hostText = portOnly ? "" : hasPort ? address.substring(0, colon) : address;
    if (hostText.startsWith("[") && hostText.endsWith("]")) {
      hostText = hostText.substring(1, hostText.length() - 1);
    }
    int number = port;
    if (!portText.isEmpty()) {
      number = portText.matches("\\d{1,5}") ? Integer.parseInt(portText) : -1;
    }
    if (number < 0 || number > 65535) {
      throw new ServerException(
          "'%s' is not an address to listen on: write host:port, e.g. 127.0.0.1:4040"
              .formatted(address));
    }
    return new ServerOptions(
        hostText.isEmpty() ? host : hostText, number, token, certificate, key, names);
  }

  public ServerOptions withToken(String secret) {
    return new ServerOptions(host, port, Optional.of(secret), certificate, key, names);
  }

  public ServerOptions withTls(Path certificateFile, Path keyFile) {
    return new ServerOptions(
        host, port, token, Optional.of(certificateFile), Optional.of(keyFile), names);
  }

  public ServerOptions withNames(List<String> others) {
    return new ServerOptions(host, port, token, certificate, key, others);
  }

  /** Whether only this machine can reach the server. */
  public boolean isLoopback() {
    return resolved().isLoopbackAddress();
  }

  private InetAddress resolved() {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new ServerException(
          "'%s' is not an address of this machine: listen on 127.0.0.1 or 0.0.0.0".formatted(host),
          e);
    }
  }

  /** The address to bind; throws if others can reach it and there is no token. */
  InetAddress address() {
    InetAddress address = resolved();
    if (!address.isLoopbackAddress() && token.isEmpty()) {
      throw new ServerException(
          "other machines can reach %s: set a token (--token-file), or listen on 127.0.0.1"
              .formatted(host));
    }
    return address;
  }
}
