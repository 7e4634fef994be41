package dev.plumb.export.pprof;

import static dev.plumb.export.pprof.Pprof.*;

import dev.plumb.export.file.Reading;
import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.wire.Bytes;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** pprof files of any tool, gzipped or not. */
public final class PprofReader implements RecordingReader {
  /** More frames than any unwinder gives; a location's lines count each. */
  static final int MAX_DEPTH = 1 << 16;

  /** What all samples together may unfold to: a gigabyte of frame numbers. */
  static final long MAX_FRAMES = 1L << 28;

  /** The same for what is pushed: a full profile of stacks 250 deep. */
  private static final long MAX_PUSHED_FRAMES = 1L << 22;

  static final int MAX_TYPES = 64;

  @Override
  public Reading read(InputStream in) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(in);
    buffered.mark(2);
    byte[] head = buffered.readNBytes(2);
    buffered.reset();
    byte[] bytes = Bytes.isGzip(head) ? Bytes.gunzip(buffered) : Bytes.all(buffered);
    return Reading.of(parse(bytes));
  }

  static Recording parse(byte[] bytes) {
    PprofParts parts = new PprofParts(bytes);
    return new Run(parts, bytes, Origin.FILE).recording();
  }

  /**
   * Where a profile came from.
   *
   * @param name what the sender calls it, e.g. {@code process_cpu}; empty if the profile must say
   * @param maxSamples more are refused
   * @param maxDepth of deeper stacks, so many frames are kept, from the root
   * @param maxStackNodes more different beginnings of stacks are refused
   */
  public record Origin(String name, int maxSamples, int maxDepth, int maxStackNodes) {
    static final Origin FILE = new Origin("", Integer.MAX_VALUE, MAX_DEPTH, Integer.MAX_VALUE);

    boolean isPushed() {
      return !name.isEmpty();
    }
  }

  /**
   * A profile that a client pushed, unzipped. What it does not say of its process stays empty:
   * neither its file's name nor numbers that go with a sample set series apart.
   */
  public static Recording pushed(byte[] bytes, Origin origin) {
    PprofParts parts = new PprofParts(bytes);
    if (parts.samples().size() > origin.maxSamples()) {
      throw new FormatException(
          "the profile has %d samples; the limit is %d"
              .formatted(parts.samples().size(), origin.maxSamples()));
    }
    return new Run(parts, bytes, origin).recording();
  }

  /** One file. */
  private static final class Run {
    private final PprofParts parts;
    private final byte[] bytes;
    private final Origin origin;
    private final StackTable.Builder stacks = new StackTable.Builder();
    private final Map<Long, int[]> framesOfLocation = new HashMap<>();
    private final Map<String, String> comments = new TreeMap<>();
    private final List<ValueType> types;
    private int[] frames = new int[256];
    private int depth;
    private long allFrames;

    Run(PprofParts parts, byte[] bytes, Origin origin) {
      this.parts = parts;
      this.bytes = bytes;
      this.origin = origin;
      this.types = parts.types();
      for (String comment : parts.comments()) {
        int equals = comment.indexOf('=');
        if (comment.startsWith(COMMENT_PREFIX) && equals > 0) {
          comments.put(
              comment.substring(COMMENT_PREFIX.length(), equals), comment.substring(equals + 1));
        }
      }
    }

    Recording recording() {
      if (types.isEmpty()) {
        throw new FormatException("no pprof profile: it names no sample type");
      }
      int main = parts.defaultType();
      String mode = comments.getOrDefault("mode", guessMode(main));
      String name = comments.getOrDefault("name", mode.equals("cpu") ? "process_cpu" : mode);
      long period = parts.period();
      if (origin.isPushed()) {
        name = origin.name();
        // Some name what they count by and leave out how much of it a sample is.
        period = period == 0 && !parts.periodType().name().isEmpty() ? 1 : period;
      }
      Profile.Builder rows =
          new Profile.Builder(mode, name, types, main, parts.periodType(), period);
      for (ProtoIn.Span span : parts.samples()) {
        sample(span, rows);
      }
      Profile profile = rows.build(stacks.build(), Timeline.EMPTY, quality());
      return new Recording(
          parts.timeNanos(), parts.durationNanos(), List.of(profile), withPrefix("fact."));
    }

    private String guessMode(int main) {
      boolean cpu = types.stream().anyMatch(type -> type.name().equals("cpu"));
      return cpu ? "cpu" : types.get(main).name();
    }

    private void sample(ProtoIn.Span span, Profile.Builder rows) {
      long[] values = new long[types.size()];
      int[] valueCount = new int[1];
      SampleLabels labels = new SampleLabels(parts, origin.isPushed());
      depth = 0;
      ProtoIn sample = new ProtoIn(bytes, span.from(), span.to());
      while (sample.next()) {
        switch (sample.field()) {
          case SAMPLE_LOCATION_ID -> sample.numbers(this::push);
          case SAMPLE_VALUE ->
              sample.numbers(
                  value -> {
                    if (valueCount[0] < values.length) {
                      values[valueCount[0]] = value;
                    }
                    valueCount[0]++;
                  });
          case SAMPLE_LABEL -> labels.add(sample.message());
          default -> {}
        }
      }
      if (valueCount[0] != values.length) {
        throw new FormatException(
            "damaged pprof file: a sample with %d values where there are %d types"
                .formatted(valueCount[0], values.length));
      }
      if (depth > origin.maxDepth()) {
        int deeper = depth - origin.maxDepth();
        System.arraycopy(frames, deeper, frames, 0, origin.maxDepth());
        depth = origin.maxDepth();
        labels.end = StackEnd.DEPTH;
      }
      int stack = stacks.stack(frames, depth, labels.end);
      if (stacks.size() > origin.maxStackNodes()) {
        throw new FormatException(
            "stacks with more than %d different beginnings".formatted(origin.maxStackNodes()));
      }
      int row = rows.row(stack, rows.thread(labels.thread()), rows.labels(labels.rest()));
      for (int type = 0; type < values.length; type++) {
        rows.add(row, type, values[type]);
      }
    }

    private void push(long location) {
      int[] ids = framesOfLocation.get(location);
      if (ids == null) {
        List<Frame> lines = parts.frames(location);
        ids = lines.stream().mapToInt(stacks::frame).toArray();
        framesOfLocation.put(location, ids);
      }
      allFrames += ids.length;
      long most = origin.isPushed() ? MAX_PUSHED_FRAMES : MAX_FRAMES;
      if (depth + ids.length > MAX_DEPTH || allFrames > most) {
        throw new FormatException(
            "damaged pprof file: a stack of more than %d frames, or more than %d in all"
                .formatted(MAX_DEPTH, most));
      }
      if (depth + ids.length > frames.length) {
        frames = Arrays.copyOf(frames, Math.max(frames.length * 2, depth + ids.length));
      }
      System.arraycopy(ids, 0, frames, depth, ids.length);
      depth += ids.length;
    }

    /** Unknown unless Plumb wrote it. */
    private Quality quality() {
      if (!comments.containsKey("samples")) {
        return Quality.UNKNOWN;
      }
      return new Quality(
          number("samples"),
          counts("lost."),
          counts("truncated."),
          counts("unnamed."),
          rate("rate_asked"),
          rate("rate_held"));
    }

    private long number(String key) {
      try {
        return Math.max(0, Long.parseLong(comments.getOrDefault(key, "")));
      } catch (NumberFormatException e) {
        return 0;
      }
    }

    private double rate(String key) {
      try {
        double rate = Double.parseDouble(comments.getOrDefault(key, "0"));
        return rate >= 0 && rate < 1e9 ? rate : 0;
      } catch (NumberFormatException e) {
        return 0;
      }
    }

    private Map<String, Long> counts(String prefix) {
      Map<String, Long> counts = new TreeMap<>();
      withPrefix(prefix).keySet().forEach(key -> counts.put(key, number(prefix + key)));
      return counts;
    }

    private Map<String, String> withPrefix(String prefix) {
      Map<String, String> result = new TreeMap<>();
      comments.forEach(
          (key, value) -> {
            if (key.startsWith(prefix)) {
              result.put(key.substring(prefix.length()), value);
            }
          });
      return result;
    }
  }

  /** What a sample's labels say of its thread; the rest stay labels. */
  private static final class SampleLabels {
    /** What clients that trace put on samples: each would be a series of its own. */
    private static final Set<String> OF_SPANS = Set.of("span_id", "trace_id", "profile_id");

    private final PprofParts parts;
    private final boolean pushed;
    private final Map<String, String> texts = new TreeMap<>();
    private final Map<String, Long> numbers = new TreeMap<>();
    StackEnd end = StackEnd.WHOLE;

    SampleLabels(PprofParts parts, boolean pushed) {
      this.parts = parts;
      this.pushed = pushed;
    }

    void add(ProtoIn label) {
      String key = "";
      String text = "";
      String unit = "";
      long number = 0;
      while (label.next()) {
        switch (label.field()) {
          case LABEL_KEY -> key = parts.string(label.number());
          case LABEL_STR -> text = parts.string(label.number());
          case LABEL_NUM -> number = label.number();
          case LABEL_NUM_UNIT -> unit = parts.string(label.number());
          default -> {}
        }
      }
      if (pushed && OF_SPANS.contains(key)) {
        return;
      }
      if (key.equals(LABEL_STACK_END)) {
        end = text.isEmpty() ? StackEnd.WHOLE : StackEnd.ofText(text);
      } else if (!text.isEmpty()) {
        texts.put(key, text);
      } else if (isId(key)) {
        numbers.put(key, number);
      } else if (!pushed) {
        texts.put(key, unit.isEmpty() ? Long.toString(number) : number + " " + unit);
      }
    }

    private static boolean isId(String key) {
      return key.equals(LABEL_PID) || key.equals(LABEL_TID) || key.equals(LABEL_INNER_PID);
    }

    ThreadInfo thread() {
      int pid = id(LABEL_PID, 0);
      String comm = texts.getOrDefault(LABEL_COMM, pushed ? "" : parts.program());
      return new ThreadInfo(
          pid,
          id(LABEL_TID, pid),
          id(LABEL_INNER_PID, pid),
          0,
          texts.getOrDefault(LABEL_THREAD, comm),
          comm,
          texts.getOrDefault(LABEL_CGROUP, ""));
    }

    private int id(String key, int otherwise) {
      long number = numbers.getOrDefault(key, (long) otherwise);
      return number < 0 || number > Integer.MAX_VALUE ? 0 : (int) number;
    }

    Labels rest() {
      TreeMap<String, String> rest = new TreeMap<>(texts);
      for (String known : new String[] {LABEL_COMM, LABEL_THREAD, LABEL_CGROUP}) {
        rest.remove(known);
      }
      return rest.isEmpty() ? Labels.NONE : new Labels(rest);
    }
  }
}
