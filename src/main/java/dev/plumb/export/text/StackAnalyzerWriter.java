package dev.plumb.export.text;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Stack_Analyzer's block of text, one for each mode.
 *
 * <pre>
 * time:20240516_17_37_41
 * counts:
 * pid  usid  ksid  OnCPUTime/20408163nanoseconds
 * traces:
 * sid  trace                                       root first, a ; after every frame
 * info:
 * pid  NSpid  comm  tgid  cgroup
 * OK
 * </pre>
 *
 * Fields are parted by tabs. {@code pid} is the thread, {@code tgid} its process; a missing user or
 * kernel stack has the id -14, which is what the kernel answers for one (-EFAULT).
 */
public final class StackAnalyzerWriter implements RecordingWriter {
  static final int NO_STACK = -14;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd_HH_mm_ss");

  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    TextOut text = new TextOut(out);
    List<Profile> profiles =
        options.mode().isEmpty() ? recording.profiles() : List.of(options.profile(recording));
    Instant end =
        Instant.ofEpochSecond(0, recording.startNanos()).plusNanos(recording.durationNanos());
    String time = "time:" + TIME.format(end.atZone(options.zone())) + "\n";
    for (Profile profile : profiles) {
      text.text(time);
      new Block(profile, columns(profile, options), text).write();
    }
    text.flush();
  }

  /**
   * A column of values.
   *
   * @param scale what one of the written numbers stands for in the type's unit
   */
  private record Column(int type, String title, long scale) {}

  private static List<Column> columns(Profile profile, WriteOptions options) {
    if (profile.mode().equals("cpu") && profile.period() > 0 && options.value().isEmpty()) {
      int type = profile.countType().orElse(profile.mainType());
      boolean counted = profile.types().get(type).unit().equals("count");
      String title = "OnCPUTime/" + profile.period() + "nanoseconds";
      return List.of(new Column(type, title, counted ? 1 : profile.period()));
    }
    List<Column> columns = new ArrayList<>();
    for (int type = 0; type < profile.types().size(); type++) {
      ValueType value = profile.types().get(type);
      if (options.value().isEmpty() || options.value().equals(value.name())) {
        columns.add(new Column(type, title(profile.mode(), value), 1));
      }
    }
    if (columns.isEmpty()) {
      options.type(profile);
    }
    return columns;
  }

  private static String title(String mode, ValueType value) {
    String unit = value.unit().equals("count") ? "counts" : value.unit();
    String known =
        switch (mode + " " + value.name()) {
          case "offcpu time" -> "OffCPUTime";
          case "mem inuse_space" -> "LeakedSize";
          case "mem inuse_objects" -> "LeakedCount";
          case "io bytes" -> "IOSize";
          case "io calls" -> "IOCount";
          case "readahead unused" -> "UnusedReadaheadPages";
          case "readahead used" -> "UsedReadaheadPages";
          default -> camel(mode) + camel(value.name());
        };
    return known + "/1" + unit;
  }

  private static String camel(String words) {
    StringBuilder text = new StringBuilder();
    for (String word : words.split("[^\\p{L}\\p{N}]+")) {
      if (!word.isEmpty()) {
        text.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
      }
    }
    return text.toString();
  }

  /** What a line of counts is of. */
  private record Key(int thread, int userStack, int kernelStack) {}

  /** One mode's block after its time. */
  private static final class Block {
    private final Profile profile;
    private final StackTable stacks;
    private final List<Column> columns;
    private final TextOut out;

    /** Traces to their ids, from 1; user and kernel traces share them. */
    private final Map<String, Integer> sids = new LinkedHashMap<>();

    private final int[] userSids;
    private final int[] kernelSids;
    private final String[] frameTexts;

    Block(Profile profile, List<Column> columns, TextOut out) {
      this.profile = profile;
      this.stacks = profile.stacks();
      this.columns = columns;
      this.out = out;
      this.userSids = new int[stacks.size()];
      this.kernelSids = new int[stacks.size()];
      this.frameTexts = new String[stacks.frames().size()];
    }

    void write() throws IOException {
      counts();
      out.text("traces:\nsid\ttrace\n");
      for (Map.Entry<String, Integer> trace : sids.entrySet()) {
        out.number(trace.getValue()).ascii('\t').text(trace.getKey()).ascii('\n');
      }
      out.text("info:\npid\tNSpid\tcomm\ttgid\tcgroup\n");
      for (ThreadInfo thread : seenThreads()) {
        out.number(thread.tid()).ascii('\t').number(thread.innerPid()).ascii('\t');
        out.text(field(thread.comm())).ascii('\t').number(thread.pid()).ascii('\t');
        String cgroup = thread.cgroup();
        out.text(field(cgroup.substring(cgroup.lastIndexOf('/') + 1))).ascii('\n');
      }
      out.text("OK\n");
    }

    private void counts() throws IOException {
      out.text("counts:\npid\tusid\tksid");
      for (Column column : columns) {
        out.ascii('\t').text(column.title());
      }
      out.ascii('\n');
      Map<Key, long[]> sums = new HashMap<>();
      for (int row = 0; row < profile.rows(); row++) {
        Key key = key(row);
        long[] values = sums.computeIfAbsent(key, k -> new long[columns.size()]);
        for (int i = 0; i < values.length; i++) {
          values[i] += profile.value(row, columns.get(i).type());
        }
      }
      List<Map.Entry<Key, long[]>> lines = new ArrayList<>(sums.entrySet());
      lines.sort(
          Comparator.<Map.Entry<Key, long[]>>comparingLong(line -> -line.getValue()[0])
              .thenComparing(line -> tid(line.getKey()))
              .thenComparing(line -> line.getKey().userStack())
              .thenComparing(line -> line.getKey().kernelStack()));
      for (Map.Entry<Key, long[]> line : lines) {
        Key key = line.getKey();
        out.number(tid(key)).ascii('\t').number(key.userStack());
        out.ascii('\t').number(key.kernelStack());
        for (int i = 0; i < columns.size(); i++) {
          out.ascii('\t').number(line.getValue()[i] / columns.get(i).scale());
        }
        out.ascii('\n');
      }
    }

    private int tid(Key key) {
      return profile.threads().get(key.thread()).tid();
    }

    private Key key(int row) {
      int stack = profile.stack(row);
      if (userSids[stack] == 0) {
        userSids[stack] = sid(stack, false);
        kernelSids[stack] = sid(stack, true);
      }
      return new Key(profile.threadId(row), userSids[stack], kernelSids[stack]);
    }

    private int sid(int stack, boolean kernel) {
      StringBuilder trace = new StringBuilder();
      int[] frameIds = stacks.frameIds(stack);
      for (int i = frameIds.length - 1; i >= 0; i--) {
        Frame frame = stacks.frames().get(frameIds[i]);
        boolean inKernel = frame.kind() == FrameKind.KERNEL || frame.kind() == FrameKind.WAITING;
        if (inKernel == kernel) {
          trace.append(frameText(frameIds[i])).append(';');
        }
      }
      return trace.isEmpty()
          ? NO_STACK
          : sids.computeIfAbsent(trace.toString(), t -> sids.size() + 1);
    }

    private String frameText(int id) {
      if (frameTexts[id] == null) {
        Frame frame = stacks.frames().get(id);
        frameTexts[id] =
            frame.named()
                ? field(frame.name()).replace(';', ':') + "+0x" + Long.toHexString(frame.offset())
                : "0x" + Long.toHexString(frame.elfAddress());
      }
      return frameTexts[id];
    }

    private List<ThreadInfo> seenThreads() {
      Map<Integer, ThreadInfo> seen = new HashMap<>();
      for (int row = 0; row < profile.rows(); row++) {
        ThreadInfo thread = profile.thread(row);
        seen.putIfAbsent(thread.tid(), thread);
      }
      return seen.values().stream().sorted(Comparator.comparingInt(ThreadInfo::tid)).toList();
    }

    private static String field(String text) {
      StringBuilder clean = new StringBuilder(text);
      for (int i = 0; i < clean.length(); i++) {
        if (Character.isISOControl(clean.charAt(i))) {
          clean.setCharAt(i, ' ');
        }
      }
      return clean.toString();
    }
  }
}
