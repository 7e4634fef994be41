package dev.plumb.collect.probe;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.collect.mode.LatencyBuckets;
import dev.plumb.profile.Labels;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What sets a probe's events apart besides their stacks: which point it was, and its arguments. The
 * kernel side has 64 bits for it, of which the lowest 6 are a bucket of durations; what they stand
 * for comes once, as a record.
 *
 * <pre>
 * detail_record  0 kind  4 probe  8 time  16 detail  24 values[8][64]
 * </pre>
 */
public final class ProbeDetails {
  public static final int RECORD_SIZE = 24 + Argument.MOST * Argument.TEXT_SIZE;

  /** More details would be of no use to anybody. */
  private static final int MOST = 1 << 16;

  private static final long BUCKET = 0x3f;

  /** Labels that every event has. */
  private static final Set<String> TAKEN =
      Set.of("pid", "tid", "comm", "thread", "cgroup", "probe", LatencyBuckets.LABEL);

  private record Known(int point, List<String> values) {}

  private final Map<Long, Known> known = new HashMap<>();
  private final Map<Long, Integer> numbers = new HashMap<>();
  private final List<Long> details = new ArrayList<>();

  /** A small number for a detail from the kernel side. */
  int number(long said) {
    long detail = details.size() < MOST ? said : said & BUCKET;
    Integer number = numbers.putIfAbsent(detail, details.size());
    if (number != null) {
      return number;
    }
    details.add(detail);
    return details.size() - 1;
  }

  /** The detail that a number stands for; 0 if there is none. */
  long of(int number) {
    return number < details.size() ? details.get(number) : 0;
  }

  void learn(MemorySegment record, ProbeTable table) {
    if (known.size() >= MOST) {
      return;
    }
    int point = record.get(JAVA_INT, 4);
    List<String> values = new ArrayList<>();
    if (point < 0 || point >= table.pointCount()) {
      return;
    }
    List<Argument> labels = table.labels(point);
    for (int i = 0; i < labels.size(); i++) {
      values.add(text(labels.get(i), record.asSlice(24 + (long) i * Argument.TEXT_SIZE)));
    }
    known.put(record.get(JAVA_LONG, 16), new Known(point, List.copyOf(values)));
  }

  private static String text(Argument argument, MemorySegment value) {
    if (argument.isText()) {
      byte[] bytes = value.asSlice(0, Argument.TEXT_SIZE).toArray(JAVA_BYTE);
      int length = 0;
      while (length < bytes.length && bytes[length] != 0) {
        length++;
      }
      return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
    if (argument.kind() == Argument.Kind.NONE) {
      return "?";
    }
    long number = value.get(JAVA_LONG, 0);
    boolean address = !argument.signed() && (number < 0 || number > 0xffff_ffffL);
    return address ? "0x" + Long.toHexString(number) : Long.toString(number);
  }

  /** The name of the point where the events with a detail happened. */
  String name(int number, ProbeTable table) {
    int point = point(of(number) & ~BUCKET);
    return table.name(point < table.pointCount() ? point : 0);
  }

  private int point(long detail) {
    Known one = known.get(detail);
    return one == null ? (int) (detail >>> 6) & Integer.MAX_VALUE : one.point();
  }

  Labels labels(int number, ProbeTable table) {
    long detail = of(number) & ~BUCKET;
    int point = point(detail);
    Labels labels = Labels.NONE;
    if (table.pointsAreToldApart() && point < table.pointCount()) {
      labels = labels.with("probe", table.name(point));
    }
    List<String> values = known.containsKey(detail) ? known.get(detail).values() : List.of();
    for (int i = 0; i < values.size(); i++) {
      String name = table.labels(point).get(i).name().replaceFirst(":str$", "");
      labels = labels.with(TAKEN.contains(name) ? "arg_" + name : name, values.get(i));
    }
    return labels;
  }
}
