package dev.plumb.export.flame;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.Json;
import dev.plumb.export.wire.LongList;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;
import dev.plumb.profile.ThreadInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes speedscope's JSON: one sampled profile per thread and mode, in the order of time.
 *
 * <p>The axis of a thread is its value (for instance CPU time), without the gaps between samples.
 * Samples without a timestamp come last.
 */
public final class SpeedscopeWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    List<Profile> profiles =
        options.mode().isEmpty() ? recording.profiles() : List.of(options.profile(recording));
    TextOut text = new TextOut(out);
    Frames frames = new Frames();
    for (Profile profile : profiles) {
      frames.of(profile.stacks());
    }
    String title = FlameDocument.title(options, recording, profiles);
    text.text("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",");
    text.text("\"exporter\":\"plumb\",\"name\":" + quoted(title));
    text.text(",\"shared\":{\"frames\":[");
    frames.writeTo(text);
    text.text("]},\"profiles\":[");
    boolean first = true;
    for (Profile profile : profiles) {
      int type = profiles.size() == 1 ? options.type(profile) : profile.mainType();
      for (ThreadSamples thread : threads(profile, type)) {
        text.text(first ? "" : ",");
        first = false;
        thread.writeTo(text, profile, type, frames.of(profile.stacks()));
      }
    }
    text.text("]}\n");
    text.flush();
  }

  private static String quoted(String value) {
    return new Json().value(value).toString();
  }

  /** The samples of each thread that has any, the busiest first. */
  private static List<ThreadSamples> threads(Profile profile, int type) {
    ThreadSamples[] threads = new ThreadSamples[profile.threads().size()];
    long[] rest = new long[profile.rows()];
    for (int row = 0; row < rest.length; row++) {
      rest[row] = profile.value(row, type);
      int thread = profile.threadId(row);
      if (threads[thread] == null) {
        threads[thread] = new ThreadSamples(profile.threads().get(thread));
      }
    }
    if (type == profile.mainType()) {
      profile
          .timeline()
          .forEach(
              (time, row, cpu, value) -> {
                threads[profile.threadId(row)].add(row, value);
                rest[row] -= value;
              });
    }
    for (int row = 0; row < rest.length; row++) {
      if (rest[row] > 0) {
        threads[profile.threadId(row)].add(row, rest[row]);
      }
    }
    List<ThreadSamples> found = new ArrayList<>();
    for (ThreadSamples thread : threads) {
      if (thread != null && thread.sum > 0) {
        found.add(thread);
      }
    }
    found.sort(Comparator.comparingLong((ThreadSamples thread) -> -thread.sum));
    return found;
  }

  /** The frames of all stack tables; each name and place occurs once. */
  private static final class Frames {
    private final Map<List<Object>, Integer> ids = new HashMap<>();
    private final List<Frame> frames = new ArrayList<>();
    private final Map<StackTable, int[]> tables = new IdentityHashMap<>();

    int[] of(StackTable table) {
      return tables.computeIfAbsent(table, t -> t.frames().stream().mapToInt(this::id).toArray());
    }

    private int id(Frame frame) {
      List<Object> key = List.of(name(frame), file(frame), frame.line());
      Integer known = ids.putIfAbsent(key, frames.size());
      if (known != null) {
        return known;
      }
      frames.add(frame);
      return frames.size() - 1;
    }

    private static String name(Frame frame) {
      return frame.named() ? frame.marked() : Symbol.of(frame).name();
    }

    private static String file(Frame frame) {
      return frame.file().isEmpty() ? frame.module() : frame.file();
    }

    void writeTo(TextOut out) throws IOException {
      for (int i = 0; i < frames.size(); i++) {
        Frame frame = frames.get(i);
        out.text(i == 0 ? "" : ",").text("{\"name\":" + quoted(name(frame)));
        if (!file(frame).isEmpty()) {
          out.text(",\"file\":" + quoted(file(frame)));
        }
        if (frame.line() > 0) {
          out.text(",\"line\":").number(frame.line());
        }
        out.ascii('}');
      }
    }
  }

  /** One thread's rows and weights. */
  private static final class ThreadSamples {
    private final ThreadInfo thread;
    private final LongList rows = new LongList();
    private final LongList weights = new LongList();
    private long sum;

    ThreadSamples(ThreadInfo thread) {
      this.thread = thread;
    }

    /** Merges consecutive samples of the same row into one with a larger weight. */
    void add(int row, long value) {
      sum += value;
      if (rows.size() > 0 && rows.get(rows.size() - 1) == row) {
        weights.addToLast(value);
      } else {
        rows.add(row);
        weights.add(value);
      }
    }

    void writeTo(TextOut out, Profile profile, int type, int[] frameIds) throws IOException {
      String unit =
          switch (profile.types().get(type).unit()) {
            case "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes" ->
                profile.types().get(type).unit();
            default -> "none";
          };
      String name =
          "%s · %s (%d) · %s (%d)"
              .formatted(
                  profile.mode(), thread.processComm(), thread.pid(), thread.comm(), thread.tid());
      out.text("{\"type\":\"sampled\",\"name\":" + quoted(name));
      out.text(",\"unit\":\"" + unit + "\",\"startValue\":0,\"endValue\":").number(sum);
      out.text(",\"samples\":[");
      StackTable stacks = profile.stacks();
      for (int i = 0; i < rows.size(); i++) {
        out.text(i == 0 ? "[" : ",[");
        int[] stack = stacks.frameIds(profile.stack((int) rows.get(i)));
        for (int j = stack.length - 1; j >= 0; j--) {
          out.number(frameIds[stack[j]]);
          out.text(j == 0 ? "" : ",");
        }
        out.ascii(']');
      }
      out.text("],\"weights\":[");
      for (int i = 0; i < weights.size(); i++) {
        out.text(i == 0 ? "" : ",").number(weights.get(i));
      }
      out.text("]}");
    }
  }
}
