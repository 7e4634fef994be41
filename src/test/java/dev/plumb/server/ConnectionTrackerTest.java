package dev.plumb.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.schedule.QueryScheduler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that take places and do not use them. */
class ConnectionTrackerTest {
  private static final String READY =
      "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private static PlumbServer start(ConnectionTracker.Limits limits) {
    return PlumbServer.start(
        ServerOptions.LOCAL.listen("127.0.0.1:0"),
        new QueryScheduler(),
        List.of(),
        () -> true,
        limits);
  }

  private static ConnectionTracker.Limits limits(int many, int most, int idleMillis) {
    return new ConnectionTracker.Limits(
        many, most, Duration.ofMillis(idleMillis), Duration.ofSeconds(1), Duration.ofMinutes(1));
  }

  private static Socket connect(PlumbServer server) throws IOException {
    Socket socket = new Socket("127.0.0.1", server.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private static String answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** More than the server takes at once: a new client is served all the same, and at once. */
  @Test
  void idleOnesLockNobodyOut() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try (PlumbServer server = start(ConnectionTracker.Limits.DEFAULT)) {
      for (int i = 0; i < 2_500; i++) {
        idle.add(connect(server));
      }
      long start = System.nanoTime();
      try (Socket socket = connect(server)) {
        send(socket, READY);
        assertThat(answer(socket)).startsWith("HTTP/1.1 200");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  /** The whole head has to be there in time, not only its next byte. */
  @Test
  void aHeadThatTricklesInIsCutOff() throws Exception {
    try (PlumbServer server = start(limits(100, 200, 2_000));
        Socket socket = connect(server)) {
      String head = READY.replace("\r\n\r\n", "\r\nX: ") + "a".repeat(200);
      int sent = 0;
      long start = System.nanoTime();
      String answer = "";
      socket.setSoTimeout(100);
      while (sent < head.length() && answer.isEmpty()) {
        try {
          send(socket, head.substring(sent, sent + 1));
          sent++;
          answer = answer(socket);
        } catch (SocketTimeoutException e) {
          // Not yet.
        } catch (SocketException e) {
          answer = "closed";
        }
      }
      assertThat(answer).matches("(?s)HTTP/1.1 408.*|closed");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }
  }

  /** A connection that is used again is idle since its last answer. */
  @Test
  void oneThatIsUsedStays() throws Exception {
    try (PlumbServer server = start(limits(100, 200, 3_000));
        Socket socket = connect(server)) {
      String again = READY.replace("close", "keep-alive");
      for (int i = 0; i < 5; i++) {
        send(socket, again);
        byte[] first = socket.getInputStream().readNBytes(15);
        assertThat(new String(first, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 200 OK");
        Thread.sleep(900);
        socket.getInputStream().skipNBytes(socket.getInputStream().available());
      }
    }
  }

  @Test
  void ifThereAreManyTheyHurry() throws Exception {
    try (PlumbServer server = start(limits(3, 200, 60_000));
        Socket first = connect(server);
        Socket second = connect(server);
        Socket third = connect(server)) {
      for (Socket socket : List.of(first, second, third)) {
        assertThat(answer(socket)).startsWith("HTTP/1.1 408");
      }
    }
  }
}
