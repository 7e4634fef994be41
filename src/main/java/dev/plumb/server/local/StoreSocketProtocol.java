package dev.plumb.server.local;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.store.Matcher;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.net.ExtendedSocketOptions;

/** How queries and answers are written to the socket and read from it. */
final class StoreSocketProtocol {
  static final int MAGIC = 0x504c5131; // PLQ1
  static final int FINE = 0;
  static final int FAILED = 1;
  static final int ROW = 2;
  static final int END = 3;

  /** The queries, by their number on the wire. */
  enum Ask {
    SPAN,
    TYPES,
    MAIN_TYPE,
    TIMELINE,
    MERGED,
    SAMPLES,
    SQL
  }

  private static final int MAX_TEXT = 16 << 20;
  private static final int MAX_LIST = 200_000;

  private StoreSocketProtocol() {}

  static Path socket(Path folder) {
    return folder.resolve("ask");
  }

  /** Whether the process at the other end runs as root or as our own user. */
  static boolean isTrusted(SocketChannel channel) throws IOException {
    String peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
    return peer.equals("root") || peer.equals(System.getProperty("user.name"));
  }

  static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Allocates as bytes arrive, whatever length is claimed. */
  static String text(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > MAX_TEXT) {
      throw new IOException("a text of " + length + " bytes");
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new IOException("the answer is incomplete");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MAX_LIST) {
      throw new IOException("a list of " + count);
    }
    return count;
  }

  static void texts(DataOutputStream out, List<String> texts) throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      text(out, text);
    }
  }

  static List<String> texts(DataInputStream in) throws IOException {
    List<String> texts = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      texts.add(text(in));
    }
    return texts;
  }

  static void range(DataOutputStream out, TimeRange range) throws IOException {
    out.writeLong(range.fromNanos());
    out.writeLong(range.toNanos());
  }

  static TimeRange range(DataInputStream in) throws IOException {
    return new TimeRange(in.readLong(), in.readLong());
  }

  static void selection(DataOutputStream out, Selection selection) throws IOException {
    text(out, selection.type().id());
    range(out, selection.range());
    out.writeInt(selection.slice().fromNanos());
    out.writeInt(selection.slice().toNanos());
    out.writeInt(selection.selector().matchers().size());
    for (Matcher matcher : selection.selector().matchers()) {
      text(out, matcher.name());
      text(out, matcher.operator().name());
      text(out, matcher.value());
    }
  }

  static Selection selection(DataInputStream in) throws IOException {
    ProfileType type = ProfileType.parse(text(in));
    TimeRange range = range(in);
    Selection.Slice slice = new Selection.Slice(in.readInt(), in.readInt());
    List<Matcher> matchers = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      matchers.add(new Matcher(text(in), Matcher.Operator.valueOf(text(in)), text(in)));
    }
    return new Selection(type, new Selector(matchers), range, slice);
  }

  static void series(DataOutputStream out, TimeSeries series) throws IOException {
    out.writeInt(series.labels().values().size());
    for (Map.Entry<String, String> label : series.labels().values().entrySet()) {
      text(out, label.getKey());
      text(out, label.getValue());
    }
    out.writeInt(series.values().length);
    for (double value : series.values()) {
      out.writeDouble(value);
    }
  }

  static TimeSeries series(DataInputStream in) throws IOException {
    TreeMap<String, String> labels = new TreeMap<>();
    for (int left = count(in); left > 0; left--) {
      labels.put(text(in), text(in));
    }
    double[] values = new double[count(in)];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readDouble();
    }
    return new TimeSeries(new Labels(labels), values);
  }

  static void failure(DataOutputStream out, StoreException e) throws IOException {
    out.writeByte(FAILED);
    text(out, e.reason().name());
    text(out, String.valueOf(e.getMessage()));
  }

  static StoreException failure(DataInputStream in) throws IOException {
    return new StoreException(StoreException.Reason.valueOf(text(in)), text(in));
  }
}
