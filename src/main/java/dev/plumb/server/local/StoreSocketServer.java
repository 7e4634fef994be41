package dev.plumb.server.local;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.plumb.PlumbWriter;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Answers the queries of other commands, of the same user and of root, while the store is open. */
public final class StoreSocketServer implements AutoCloseable {
  /** A limit, because recordings are made in this process's memory. */
  static final long MOST_SAMPLES = 1_000_000;

  /**
   * How long one connection may last, so that a client that stops reading cannot keep old files on
   * disk: 20 s for its turn, 30 s for the query, 30 s for sending the answer.
   */
  private static final Duration LONGEST = Duration.ofSeconds(80);

  private static final int CONNECTIONS = 20;

  private final ServerSocketChannel server;
  private final Path path;
  private final ReadableStore store;
  private final QueryScheduler scheduler;
  private final Semaphore connections = new Semaphore(CONNECTIONS);

  /** Makes an answer and sends it. */
  @FunctionalInterface
  private interface Answer {
    void send() throws IOException;
  }

  private StoreSocketServer(
      ServerSocketChannel server, Path path, ReadableStore store, QueryScheduler scheduler) {
    this.scheduler = scheduler;
    this.server = server;
    this.path = path;
    this.store = store;
  }

  /**
   * Begins to answer. {@code folder} is the store's, which no other process has open. Queries share
   * memory and turns with those over HTTP.
   */
  public static StoreSocketServer open(Path folder, ReadableStore store, QueryScheduler scheduler)
      throws IOException {
    Path path = StoreSocketProtocol.socket(folder);
    Files.deleteIfExists(path);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(path));
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    StoreSocketServer socket = new StoreSocketServer(server, path, store, scheduler);
    Thread.ofVirtual().name("plumb-ask").start(socket::accept);
    return socket;
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel channel = server.accept();
        if (StoreSocketProtocol.isTrusted(channel) && connections.tryAcquire()) {
          Thread.ofVirtual().name("plumb-asked").start(() -> serve(channel));
        } else {
          channel.close();
        }
      } catch (IOException e) {
        // The socket was closed, or the client left before it was accepted.
      }
    }
  }

  private void serve(SocketChannel channel) {
    Thread limit = Thread.ofVirtual().start(() -> closeLater(channel));
    try (channel;
        DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
        DataOutputStream out =
            new DataOutputStream(
                new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16))) {
      if (in.readInt() == StoreSocketProtocol.MAGIC) {
        answer(in, out);
      }
    } catch (IOException | UncheckedIOException e) {
      // The client has gone.
    } finally {
      limit.interrupt();
      connections.release();
    }
  }

  private static void closeLater(SocketChannel channel) {
    try {
      Thread.sleep(LONGEST);
      channel.close();
    } catch (InterruptedException | IOException e) {
      // The answer was sent in time.
    }
  }

  private void answer(DataInputStream in, DataOutputStream out) throws IOException {
    try {
      int number = in.readUnsignedByte();
      if (number >= StoreSocketProtocol.Ask.values().length) {
        throw new IllegalArgumentException(
            "the running plumb serve is older and does not know this query: restart it");
      }
      ask(StoreSocketProtocol.Ask.values()[number], in, out);
    } catch (StoreException e) {
      StoreSocketProtocol.failure(out, e);
    } catch (Refusal e) {
      StoreSocketProtocol.failure(out, new StoreException(e.getMessage(), e)); // too many queries
    } catch (IllegalArgumentException e) {
      StoreSocketProtocol.failure(
          out, new StoreException(StoreException.Reason.QUESTION, String.valueOf(e.getMessage())));
    }
  }

  private void ask(StoreSocketProtocol.Ask ask, DataInputStream in, DataOutputStream out)
      throws IOException {
    switch (ask) {
      case SPAN -> inTurn(false, () -> span(out));
      case TYPES -> {
        TimeRange range = StoreSocketProtocol.range(in);
        inTurn(false, () -> types(range, out));
      }
      case MAIN_TYPE -> {
        String mode = StoreSocketProtocol.text(in);
        out.writeByte(StoreSocketProtocol.FINE);
        StoreSocketProtocol.text(out, store.mainType(mode).map(ProfileType::id).orElse(""));
      }
      case TIMELINE -> timeline(in, out);
      case MERGED -> {
        Selection selection = StoreSocketProtocol.selection(in);
        inTurn(
            true, () -> send(new Recording(0, 0, List.of(store.merged(selection)), Map.of()), out));
      }
      case SAMPLES -> {
        Selection selection = StoreSocketProtocol.selection(in);
        long limit = Math.clamp(in.readLong(), 0, MOST_SAMPLES);
        inTurn(
            true,
            () -> {
              try (Recording recording = store.samples(selection, limit)) {
                send(recording, out);
              }
            });
      }
      case SQL -> {
        String query = StoreSocketProtocol.text(in);
        inTurn(true, () -> store.sql(query, new SentTable(out)));
        out.writeByte(StoreSocketProtocol.END);
      }
    }
  }

  private void span(DataOutputStream out) throws IOException {
    Optional<TimeRange> span = store.span();
    out.writeByte(StoreSocketProtocol.FINE);
    out.writeBoolean(span.isPresent());
    StoreSocketProtocol.range(out, span.orElse(TimeRange.ALL));
  }

  private void types(TimeRange range, DataOutputStream out) throws IOException {
    List<ProfileType> types = store.types(range);
    out.writeByte(StoreSocketProtocol.FINE);
    StoreSocketProtocol.texts(out, types.stream().map(ProfileType::id).toList());
  }

  private void timeline(DataInputStream in, DataOutputStream out) throws IOException {
    Selection selection = StoreSocketProtocol.selection(in);
    List<String> names = StoreSocketProtocol.texts(in);
    long step = in.readLong();
    int limit = in.readInt();
    inTurn(
        true,
        () -> {
          List<TimeSeries> all = store.timeline(selection, names, step, limit);
          out.writeByte(StoreSocketProtocol.FINE);
          out.writeInt(all.size());
          for (TimeSeries series : all) {
            StoreSocketProtocol.series(out, series);
          }
        });
  }

  private static void send(Recording recording, DataOutputStream out) throws IOException {
    out.writeByte(StoreSocketProtocol.FINE);
    new PlumbWriter().write(recording, out, WriteOptions.DEFAULT);
  }

  /** The answer counts against the memory of queries until it has been sent. */
  private void inTurn(boolean heavy, Answer answer) throws IOException {
    try {
      scheduler.runLocal(
          heavy,
          () -> {
            answer.send();
            return true;
          });
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends rows as they are found. */
  private record SentTable(DataOutputStream out) implements SqlTable {
    @Override
    public void columns(List<String> names, List<Boolean> numeric) {
      try {
        out.writeByte(StoreSocketProtocol.FINE);
        StoreSocketProtocol.texts(out, names);
        for (boolean one : numeric) {
          out.writeBoolean(one);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void row(List<String> cells, boolean[] nulls) {
      try {
        out.writeByte(StoreSocketProtocol.ROW);
        for (int i = 0; i < nulls.length; i++) {
          out.writeBoolean(nulls[i]);
          StoreSocketProtocol.text(out, cells.get(i));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(path);
  }
}
