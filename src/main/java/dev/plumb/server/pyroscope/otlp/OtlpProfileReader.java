package dev.plumb.server.pyroscope.otlp;

import dev.plumb.export.otlp.OtlpFields;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import dev.plumb.server.pyroscope.ingest.IngestLimits;
import dev.plumb.server.pyroscope.ingest.PushedType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** Reads one OTLP profile with its request's dictionary. */
final class OtlpProfileReader {
  private static final long MAX_FRAMES = 1L << 22;
  private static final int MAX_MOMENTS = 200_000;
  private static final long TIMELINE_MEMORY = 4 << 20;
  private static final long MAX_DURATION = 86_400_000_000_000L;
  private static final long SLACK_NANOS = 60_000_000_000L;

  private final OtlpDictionary dictionary;
  private final Map<String, String> resource;
  private final IngestLimits limits;
  private final List<ProtoIn> samples = new ArrayList<>();
  private final StackTable.Builder stacks = new StackTable.Builder();
  private final Map<Integer, int[]> framesOfLocation = new HashMap<>();
  private final Map<Integer, Integer> stackIds = new HashMap<>();
  private final List<Moment> moments = new ArrayList<>();
  private ValueType type = new ValueType("", "");
  private ValueType periodType = new ValueType("", "");
  private long period;
  private long time;
  private long duration;
  private long allFrames;
  private String id = "";

  /** A sample with its timestamp. */
  private record Moment(long time, int row, long value) {}

  OtlpProfileReader(
      ProtoIn in, OtlpDictionary dictionary, Map<String, String> resource, IngestLimits limits) {
    this.dictionary = dictionary;
    this.resource = resource;
    this.limits = limits;
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.PROFILE_SAMPLE_TYPE -> type = valueType(in.message());
        case OtlpFields.PROFILE_SAMPLES -> samples.add(in.message());
        case OtlpFields.PROFILE_TIME -> time = in.fixed64();
        case OtlpFields.PROFILE_DURATION -> duration = Math.clamp(in.number(), 0, MAX_DURATION);
        case OtlpFields.PROFILE_PERIOD_TYPE -> periodType = valueType(in.message());
        case OtlpFields.PROFILE_PERIOD -> period = Math.max(0, in.number());
        case OtlpFields.PROFILE_ID -> id = id(in.content());
        default -> {}
      }
    }
    if (samples.size() > limits.maxSamples()) {
      throw new FormatException(
          "%d samples; the limit is %d".formatted(samples.size(), limits.maxSamples()));
    }
    if (type.name().isEmpty()) {
      throw new FormatException("the profile names no sample type");
    }
  }

  /** Empty if all bytes are zero, as OTLP specifies. */
  private static String id(byte[] bytes) {
    for (byte one : bytes) {
      if (one != 0) {
        return HexFormat.of().formatHex(bytes);
      }
    }
    return "";
  }

  /**
   * Identifies this profile; empty if it has no id. Profiles of several types may come from one
   * recording and share its id.
   */
  String id() {
    return id.isEmpty() ? "" : "otlp " + id + " " + type + " " + time;
  }

  private ValueType valueType(ProtoIn in) {
    int name = 0;
    int unit = 0;
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.TYPE_NAME -> name = (int) in.number();
        case OtlpFields.TYPE_UNIT -> unit = (int) in.number();
        default -> {}
      }
    }
    return new ValueType(dictionary.string(name), dictionary.string(unit));
  }

  /** Whether CPU samples are counted, not timed: then each stands for one period. */
  private boolean isCountedCpu() {
    return type.unit().equals("count")
        && periodType.name().equals("cpu")
        && periodType.unit().equals("nanoseconds")
        && period > 0;
  }

  /** Pyroscope's name for what is measured. */
  String name() {
    if (isCountedCpu() || type.name().equals("cpu")) {
      return "process_cpu";
    }
    return switch (type.name()) {
      case "off_cpu", "events", "off-cpu" -> "off_cpu";
      default -> PushedType.nameOfValue(type.name()).replaceAll("[^a-zA-Z0-9_]", "_");
    };
  }

  Recording recording() {
    boolean counted = isCountedCpu();
    ValueType value = counted ? new ValueType("cpu", "nanoseconds") : type;
    String mode = name().equals("process_cpu") ? "cpu" : name();
    Profile.Builder rows = new Profile.Builder(mode, name(), List.of(value), 0, periodType, period);
    for (ProtoIn sample : samples) {
      sample(sample, rows, counted ? period : 1);
    }
    Profile profile = rows.build(stacks.build(), timeline(), Quality.UNKNOWN);
    return new Recording(time, duration, List.of(profile), Map.of());
  }

  /** The samples that have timestamps, in order. */
  private Timeline timeline() {
    if (moments.isEmpty()) {
      return Timeline.EMPTY;
    }
    moments.sort(Comparator.comparingLong(Moment::time));
    CompactTimelineBuilder timeline = new CompactTimelineBuilder(TIMELINE_MEMORY);
    moments.forEach(moment -> timeline.append(moment.time(), moment.row(), 0, moment.value()));
    return timeline.build();
  }

  private void sample(ProtoIn in, Profile.Builder rows, long scale) {
    int stack = 0;
    LongStream.Builder values = LongStream.builder();
    LongStream.Builder times = LongStream.builder();
    OtlpDictionary.Ints indices = new OtlpDictionary.Ints();
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.SAMPLE_STACK -> stack = (int) in.number();
        case OtlpFields.SAMPLE_ATTRIBUTES -> in.numbers(indices::add);
        case OtlpFields.SAMPLE_VALUES -> in.numbers(values::add);
        case OtlpFields.SAMPLE_TIMES -> in.fixed64s(times::add);
        default -> {}
      }
    }
    TreeMap<String, String> labels = new TreeMap<>();
    for (int index : indices.all()) {
      OtlpDictionary.Attribute attribute = dictionary.attribute(index);
      labels.put(attribute.key(), attribute.value());
    }
    int thread = rows.thread(thread(labels));
    labels.keySet().removeIf(OtlpAttributes::isOfThread);
    int row = rows.row(stackId(stack), thread, rows.labels(OtlpAttributes.labels(labels)));
    add(rows, row, values.build().toArray(), times.build().toArray(), scale);
  }

  /** Without values, each timestamp is one event; with as many values, each has its own. */
  private void add(Profile.Builder rows, int row, long[] values, long[] times, long scale) {
    int count = values.length == 0 ? times.length : values.length;
    for (int i = 0; i < count; i++) {
      long value = values.length == 0 ? 1 : values[i];
      long scaled = Math.multiplyHigh(value, scale) == 0 ? value * scale : value;
      rows.add(row, 0, scaled);
      boolean timed = times.length == count && isWithin(times[i]);
      if (timed && moments.size() < MAX_MOMENTS) {
        moments.add(new Moment(times[i], row, scaled));
      }
    }
  }

  /** Timestamps far outside of the profile's time are ignored. */
  private boolean isWithin(long at) {
    return time > 0 && at >= time - SLACK_NANOS && at <= time + duration + SLACK_NANOS;
  }

  private ThreadInfo thread(Map<String, String> sample) {
    Map<String, String> all = new HashMap<>(resource);
    all.putAll(sample);
    return OtlpAttributes.thread(all);
  }

  private int stackId(int index) {
    Integer known = stackIds.get(index);
    if (known != null) {
      return known;
    }
    int[] frames = new int[64];
    int depth = 0;
    for (int location : dictionary.stack(index)) {
      int[] ids = framesOfLocation.get(location);
      if (ids == null) {
        List<Frame> lines = dictionary.frames(location);
        ids = lines.stream().mapToInt(stacks::frame).toArray();
        framesOfLocation.put(location, ids);
      }
      allFrames += ids.length;
      if (allFrames > MAX_FRAMES) {
        throw new FormatException("more than %d frames in all".formatted(MAX_FRAMES));
      }
      if (depth + ids.length > frames.length) {
        frames = Arrays.copyOf(frames, Math.max(frames.length * 2, depth + ids.length));
      }
      System.arraycopy(ids, 0, frames, depth, ids.length);
      depth += ids.length;
    }
    int cut = Math.max(0, depth - limits.maxDepth());
    int[] kept = Arrays.copyOfRange(frames, cut, depth);
    int id = stacks.stack(kept, kept.length, cut > 0 ? StackEnd.DEPTH : StackEnd.WHOLE);
    if (stacks.size() > limits.maxStackNodes()) {
      throw new FormatException(
          "stacks with more than %d different beginnings".formatted(limits.maxStackNodes()));
    }
    stackIds.put(index, id);
    return id;
  }
}
