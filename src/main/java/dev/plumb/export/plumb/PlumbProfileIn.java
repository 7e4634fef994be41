package dev.plumb.export.plumb;

import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.VarIn;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/** Reads the rows of one profile from a {@code .plumb} file, part by part. */
final class PlumbProfileIn {
  /** A row with its slots, and once more while it is built. */
  private static final long ROW_BYTES = 64;

  /** A set of labels or a thread, without its text. */
  private static final long OBJECT_BYTES = 256;

  /** The content of a PROFILE block. */
  record Head(
      String mode,
      String name,
      List<ValueType> types,
      int mainType,
      ValueType periodType,
      long period,
      Quality quality) {
    static Head read(VarIn in) {
      String mode = in.text();
      String name = in.text();
      int count = in.below(PlumbFormat.MAX_TYPES, "a count of types");
      List<ValueType> types = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        types.add(new ValueType(in.text(), in.text()));
      }
      int mainType = in.below(count, "main type");
      ValueType periodType = new ValueType(in.text(), in.text());
      long period = in.signed();
      long samples = in.signed();
      double rateAsked = Double.longBitsToDouble(in.number());
      double rateHeld = Double.longBitsToDouble(in.number());
      Quality quality =
          new Quality(samples, counts(in), counts(in), counts(in), rateAsked, rateHeld);
      return new Head(mode, name, types, mainType, periodType, period, quality);
    }

    private static Map<String, Long> counts(VarIn in) {
      Map<String, Long> counts = new TreeMap<>();
      int size = in.count("reasons");
      for (int i = 0; i < size; i++) {
        counts.put(in.text(), in.signed());
      }
      return counts;
    }

    /** The same for what goes on in another part. */
    String key() {
      return mode + "\n" + name + "\n" + types + "\n" + mainType;
    }
  }

  private final Profile.Builder rows;
  private final int types;
  private final CompactTimelineBuilder times = CompactTimeline.builder();
  private Quality quality;
  private boolean begun;
  private NumberMap threads = new NumberMap();
  private NumberMap labelSets = new NumberMap();

  /** The row each row of the part became. */
  private int[] rowIds = new int[1024];

  private int rowCount;
  private long textBytes;

  /** What the values of each label take. */
  private final Map<String, Long> labelBytes = new TreeMap<>();

  PlumbProfileIn(Head head) {
    types = head.types().size();
    rows =
        new Profile.Builder(
            head.mode(),
            head.name(),
            head.types(),
            head.mainType(),
            head.periodType(),
            head.period());
  }

  /** Another part begins, or the first. */
  void beginPart(Head head) {
    quality = begun ? quality.plus(head.quality()) : head.quality();
    begun = true;
    threads = new NumberMap();
    labelSets = new NumberMap();
    rowCount = 0;
  }

  void rows(VarIn in, PlumbTablesIn tables) {
    while (in.more()) {
      int stack = tables.stack(in);
      int thread = threads.id(tables.threadNumber(in), n -> rows.thread(tables.thread(n)));
      int labels = labelSets.id(tables.labelsNumber(in), n -> labels(tables.labelSet(n)));
      int row = rows.row(stack, thread, labels);
      for (int type = 0; type < types; type++) {
        rows.add(row, type, in.signed());
      }
      if (rowCount == rowIds.length) {
        rowIds = Arrays.copyOf(rowIds, rowCount * 2);
      }
      rowIds[rowCount++] = row;
    }
  }

  private int labels(Labels set) {
    int before = rows.labelCount();
    int id = rows.labels(set);
    if (id == before) {
      set.values().forEach((name, value) -> count(name, value.length()));
    }
    return id;
  }

  private void count(String label, long bytes) {
    labelBytes.merge(label, bytes + OBJECT_BYTES, Long::sum);
    textBytes += bytes + OBJECT_BYTES;
  }

  void times(VarIn in) {
    long time = in.signed();
    long row = 0;
    while (in.more()) {
      time += in.signed();
      row += in.signed();
      int cpu = in.integer("cpu");
      long value = in.signed();
      if (row < 0 || row >= rowCount) {
        throw new FormatException(
            "damaged .plumb file: a time of row %d where %d are known".formatted(row, rowCount));
      }
      times.append(time, rowIds[(int) row], cpu, value);
    }
  }

  /** An estimate of the memory that it takes. */
  long bytes() {
    return rows.rowCount() * (ROW_BYTES + 16L * types)
        + rows.threadCount() * OBJECT_BYTES
        + textBytes;
  }

  /** An estimate of the memory that the values of each label take. */
  Map<String, Long> labelBytes() {
    return labelBytes;
  }

  Profile build(StackTable stacks) {
    Timeline timeline = times.size() == 0 ? Timeline.EMPTY : times.build();
    return rows.build(stacks, timeline, quality);
  }

  /** Discards what was read. */
  void close() {
    times.build().close();
  }

  /** What the file's numbers are called here, asked for once each. */
  private static final class NumberMap {
    /** The id + 1; 0 where it is not known yet. */
    private int[] ids = new int[64];

    int id(int number, IntUnaryOperator make) {
      if (number >= ids.length) {
        ids = Arrays.copyOf(ids, Math.max(ids.length * 2, number + 1));
      }
      if (ids[number] == 0) {
        ids[number] = make.applyAsInt(number) + 1;
      }
      return ids[number] - 1;
    }
  }
}
