package dev.plumb.server.local;

import dev.plumb.export.file.Reading;
import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A store that another process has open; that process answers the queries. */
public final class StoreSocketClient implements ReadableStore {
  /** Writes a query's arguments. */
  @FunctionalInterface
  private interface Arguments {
    void write(DataOutputStream out) throws IOException;
  }

  /** Reads an answer. */
  @FunctionalInterface
  private interface Answer<T> {
    T read(DataInputStream in) throws IOException;
  }

  private final Path socket;

  private StoreSocketClient(Path socket) {
    this.socket = socket;
  }

  /** The store in this folder, if a process has it open and answers. */
  public static Optional<StoreSocketClient> find(Path folder) {
    Path socket = StoreSocketProtocol.socket(folder);
    if (!Files.exists(socket)) {
      return Optional.empty();
    }
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return StoreSocketProtocol.isTrusted(channel)
          ? Optional.of(new StoreSocketClient(socket))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private <T> T ask(StoreSocketProtocol.Ask question, Arguments arguments, Answer<T> answer) {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      if (!StoreSocketProtocol.isTrusted(channel)) {
        throw new StoreException("the process that has the store open belongs to another user");
      }
      DataOutputStream out = new DataOutputStream(Channels.newOutputStream(channel));
      out.writeInt(StoreSocketProtocol.MAGIC);
      out.writeByte(question.ordinal());
      arguments.write(out);
      out.flush();
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), 1 << 16));
      if (in.readUnsignedByte() == StoreSocketProtocol.FAILED) {
        throw StoreSocketProtocol.failure(in);
      }
      return answer.read(in);
    } catch (EOFException e) {
      throw new StoreException("the process that has the store open did not finish its answer", e);
    } catch (IOException | FormatException | IllegalArgumentException e) {
      throw new StoreException(
          "the process that has the store does not answer: " + e.getMessage(), e);
    }
  }

  @Override
  public Optional<TimeRange> span() {
    return ask(
        StoreSocketProtocol.Ask.SPAN,
        out -> {},
        in -> {
          boolean any = in.readBoolean();
          TimeRange range = StoreSocketProtocol.range(in);
          return any ? Optional.of(range) : Optional.empty();
        });
  }

  @Override
  public List<ProfileType> types(TimeRange range) {
    return ask(
        StoreSocketProtocol.Ask.TYPES,
        out -> StoreSocketProtocol.range(out, range),
        in -> StoreSocketProtocol.texts(in).stream().map(ProfileType::parse).toList());
  }

  @Override
  public Optional<ProfileType> mainType(String mode) {
    String id =
        ask(
            StoreSocketProtocol.Ask.MAIN_TYPE,
            out -> StoreSocketProtocol.text(out, mode),
            StoreSocketProtocol::text);
    return id.isEmpty() ? Optional.empty() : Optional.of(ProfileType.parse(id));
  }

  @Override
  public List<TimeSeries> timeline(
      Selection selection, List<String> groupBy, long stepNanos, int limit) {
    return ask(
        StoreSocketProtocol.Ask.TIMELINE,
        out -> {
          StoreSocketProtocol.selection(out, selection);
          StoreSocketProtocol.texts(out, groupBy);
          out.writeLong(stepNanos);
          out.writeInt(limit);
        },
        in -> {
          List<TimeSeries> all = new ArrayList<>();
          for (int left = StoreSocketProtocol.count(in); left > 0; left--) {
            all.add(StoreSocketProtocol.series(in));
          }
          return all;
        });
  }

  @Override
  public Profile merged(Selection selection) {
    return ask(
        StoreSocketProtocol.Ask.MERGED,
        out -> StoreSocketProtocol.selection(out, selection),
        in -> recording(in).main());
  }

  @Override
  public Recording samples(Selection selection, long limit) {
    return ask(
        StoreSocketProtocol.Ask.SAMPLES,
        out -> {
          StoreSocketProtocol.selection(out, selection);
          out.writeLong(limit);
        },
        StoreSocketClient::recording);
  }

  private static Recording recording(DataInputStream in) throws IOException {
    Reading reading = new PlumbReader().read(in);
    if (!reading.warnings().isEmpty()) {
      reading.recording().close();
      throw new EOFException();
    }
    return reading.recording();
  }

  @Override
  public void sql(String query, SqlTable table) {
    ask(
        StoreSocketProtocol.Ask.SQL,
        out -> StoreSocketProtocol.text(out, query),
        in -> {
          List<String> names = StoreSocketProtocol.texts(in);
          List<Boolean> numeric = new ArrayList<>();
          for (int i = 0; i < names.size(); i++) {
            numeric.add(in.readBoolean());
          }
          table.columns(names, numeric);
          return rows(in, names.size(), table);
        });
  }

  private static boolean rows(DataInputStream in, int columns, SqlTable table) throws IOException {
    for (int kind = in.readUnsignedByte();
        kind != StoreSocketProtocol.END;
        kind = in.readUnsignedByte()) {
      if (kind == StoreSocketProtocol.FAILED) {
        throw StoreSocketProtocol.failure(in);
      }
      List<String> cells = new ArrayList<>(columns);
      boolean[] nulls = new boolean[columns];
      for (int i = 0; i < columns; i++) {
        nulls[i] = in.readBoolean();
        cells.add(StoreSocketProtocol.text(in));
      }
      table.row(cells, nulls);
    }
    return true;
  }

  /** Nothing to close: each query has a connection of its own. */
  @Override
  public void close() {}
}
