package dev.plumb.export;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/** Reads {@code .plumb} files; of a damaged one, what comes before the damage. */
public final class PlumbReader implements Reader {
  @Override
  public Reading read(InputStream in) throws IOException {
    try (BlockIn blocks = new BlockIn(new BufferedInputStream(in, 64 * 1024))) {
      return new Run().read(blocks);
    }
  }

  /** One file. */
  private static final class Run {
    private final PlumbTablesIn tables = new PlumbTablesIn();
    private final List<OpenProfile> profiles = new ArrayList<>();
    private final Map<String, String> facts = new TreeMap<>();
    private long startNanos;
    private long durationNanos;
    private long tableBytes;

    Reading read(BlockIn blocks) throws IOException {
      boolean whole = false;
      while (!whole && blocks.next()) {
        whole = blocks.type() == PlumbFormat.END;
        block(blocks);
      }
      if (profiles.isEmpty()) {
        throw new FormatException(
            whole
                ? "the .plumb file holds no profile: nothing was measured"
                : "nothing to read in the .plumb file: " + blocks.damage());
      }
      StackTable stacks = tables.stacks();
      Recording recording =
          new Recording(
              startNanos,
              durationNanos,
              profiles.stream().map(profile -> profile.build(stacks)).toList(),
              facts);
      List<String> warnings =
          whole
              ? List.of()
              : List.of(blocks.damage() + "; what comes before was read, the rest is missing");
      return new Reading(recording, warnings);
    }

    private void block(BlockIn blocks) {
      VarIn in = blocks.payload();
      if (blocks.type() != PlumbFormat.TIMES) {
        tableBytes += blocks.bytes().length;
        if (tableBytes > PlumbFormat.MAX_TABLES) {
          throw new FormatException("the .plumb file holds more than 2 GB of stacks and rows");
        }
      }
      switch (blocks.type()) {
        case PlumbFormat.RUN -> run(in);
        case PlumbFormat.STRINGS -> tables.strings(in);
        case PlumbFormat.FRAMES -> tables.frames(in);
        case PlumbFormat.STACKS -> tables.stacks(in);
        case PlumbFormat.THREADS -> tables.threads(in);
        case PlumbFormat.LABELS -> tables.labels(in);
        case PlumbFormat.PROFILE -> profile(in);
        case PlumbFormat.ROWS -> current().rows(in, tables);
        case PlumbFormat.TIMES -> current().times(in);
        // A later minor addition: what this reader knows does not depend on it.
        default -> {}
      }
    }

    private OpenProfile current() {
      if (profiles.isEmpty()) {
        throw new FormatException("damaged .plumb file: rows before their profile");
      }
      return profiles.getLast();
    }

    private void run(VarIn in) {
      startNanos = in.signed();
      durationNanos = in.signed();
      while (in.more()) {
        facts.put(in.text(), in.text());
      }
    }

    private void profile(VarIn in) {
      if (profiles.size() == PlumbFormat.MAX_PROFILES) {
        throw new FormatException("damaged .plumb file: too many profiles");
      }
      profiles.add(new OpenProfile(in));
    }
  }

  /** A profile whose rows are being read. */
  private static final class OpenProfile {
    private final Profile.Builder rows;
    private final int types;
    private final Quality quality;
    private final CompactTimelineBuilder times = CompactTimeline.builder();

    private final NumberMap threads = new NumberMap();
    private final NumberMap labelSets = new NumberMap();

    /** The row each row of the file became; equal rows, which no writer makes, become one. */
    private int[] rowIds = new int[1024];

    private int rowCount;

    OpenProfile(VarIn in) {
      String mode = in.text();
      String name = in.text();
      types = in.below(PlumbFormat.MAX_TYPES, "a count of types");
      List<ValueType> valueTypes = new ArrayList<>();
      for (int i = 0; i < types; i++) {
        valueTypes.add(new ValueType(in.text(), in.text()));
      }
      int mainType = in.below(types, "main type");
      ValueType periodType = new ValueType(in.text(), in.text());
      rows = new Profile.Builder(mode, name, valueTypes, mainType, periodType, in.signed());
      long samples = in.signed();
      double rateAsked = Double.longBitsToDouble(in.number());
      double rateHeld = Double.longBitsToDouble(in.number());
      quality = new Quality(samples, counts(in), counts(in), counts(in), rateAsked, rateHeld);
    }

    private static Map<String, Long> counts(VarIn in) {
      Map<String, Long> counts = new TreeMap<>();
      int size = in.count("reasons");
      for (int i = 0; i < size; i++) {
        counts.put(in.text(), in.signed());
      }
      return counts;
    }

    void rows(VarIn in, PlumbTablesIn tables) {
      while (in.more()) {
        int stack = tables.stack(in);
        int thread = threads.id(tables.threadNumber(in), n -> rows.thread(tables.thread(n)));
        int labels = labelSets.id(tables.labelsNumber(in), n -> rows.labels(tables.labelSet(n)));
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

    Profile build(StackTable stacks) {
      Timeline timeline = times.size() == 0 ? Timeline.EMPTY : times.build();
      return rows.build(stacks, timeline, quality);
    }
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
