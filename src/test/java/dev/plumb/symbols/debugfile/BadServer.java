package dev.plumb.symbols.debugfile;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on this machine that answers as it is told to, and counts who asks. */
public final class BadServer implements AutoCloseable {
  /** Answers one request, or does not. */
  @FunctionalInterface
  public interface Answer {
    void to(OutputStream client) throws IOException, InterruptedException;
  }

  private final ServerSocket socket;
  private final Answer answer;
  private final AtomicInteger asked = new AtomicInteger();
  private final List<Socket> clients = new ArrayList<>();

  private BadServer(ServerSocket socket, Answer answer) {
    this.socket = socket;
    this.answer = answer;
  }

  public static BadServer start(Answer answer) throws IOException {
    BadServer server =
        new BadServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), answer);
    Thread.ofPlatform().daemon().start(server::accept);
    return server;
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        synchronized (clients) {
          clients.add(client);
        }
        asked.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try {
      byte[] request = new byte[4096];
      if (client.getInputStream().read(request) > 0) {
        answer.to(client.getOutputStream());
      }
      client.close();
    } catch (IOException e) {
      return; // it hung up
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public String url() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  public int asked() {
    return asked.get();
  }

  @Override
  public void close() throws IOException {
    socket.close();
    synchronized (clients) {
      for (Socket client : clients) {
        client.close();
      }
    }
  }
}
