package dev.plumb.server;

import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Sets a read timeout on accepted connections, because Helidon's own option does not reach them and
 * a silent client would keep its place forever. Also tells {@link ConnectionTracker} of each
 * accepted connection.
 */
record ReadTimeouts(SocketOptions others, Duration timeout, ConnectionTracker connections)
    implements SocketOptions {
  @Override
  public void configureSocket(SocketChannel socket) {
    others.configureSocket(socket);
    try {
      socket.socket().setSoTimeout((int) timeout.toMillis());
      connections.opened(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Map<SocketOption<?>, Object> socketOptions() {
    return others.socketOptions();
  }

  @Override
  public Duration connectTimeout() {
    return others.connectTimeout();
  }

  @Override
  public Duration readTimeout() {
    return timeout;
  }

  @Override
  public Optional<Integer> socketReceiveBufferSize() {
    return others.socketReceiveBufferSize();
  }

  @Override
  public Optional<Integer> socketSendBufferSize() {
    return others.socketSendBufferSize();
  }

  @Override
  public boolean socketReuseAddress() {
    return others.socketReuseAddress();
  }

  @Override
  public boolean socketKeepAlive() {
    return others.socketKeepAlive();
  }

  @Override
  public boolean tcpNoDelay() {
    return others.tcpNoDelay();
  }
}
