package dev.plumb.collect.raw;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.ValueType;
import dev.plumb.table.LongIntIndex;
import java.util.Arrays;
import java.util.List;

/**
 * What one mode has measured so far: rows of {stack, thread, detail} with their sums, and the
 * timestamps of each row. The numbers refer to {@link RawStacks}, {@link RawThreads} and the mode's
 * own details.
 */
public final class RawProfile {
  /** What the numbers are; see {@link dev.plumb.profile.Profile}. */
  public record Meaning(
      String mode,
      String name,
      List<ValueType> types,
      int mainType,
      ValueType periodType,
      long period) {
    /** The meaning of a mode that counts every event. */
    public static Meaning ofEvents(String mode, String name, int mainType, ValueType... types) {
      return new Meaning(mode, name, List.of(types), mainType, ValueType.NONE, 0);
    }

    /** The same with another period type, by which Pyroscope distinguishes profiles. */
    public Meaning per(ValueType other) {
      return new Meaning(mode, name, types, mainType, other, period);
    }

    /** The type that counts events or samples. */
    int countType() {
      for (int i = 0; i < types.size(); i++) {
        if (types.get(i).unit().equals("count")) {
          return i;
        }
      }
      throw new IllegalStateException(mode + " counts nothing");
    }
  }

  private final Meaning meaning;
  private final RowBudget room;
  private final int types;
  private final int countType;
  private CompactTimelineBuilder timeline = CompactTimeline.builder();
  private long samples;
  private long withoutStack;
  private long withoutRow;

  /** Lost here before the last cut. */
  private long lostBefore;

  /** The rows: a stack in the upper half and a thread in the lower, and a detail. */
  private LongIntIndex rows = new LongIntIndex();

  /** One per type and row. */
  private long[] amounts;

  public RawProfile(Meaning meaning, RowBudget room) {
    this.meaning = meaning;
    this.room = room;
    this.types = meaning.types().size();
    this.countType = meaning.countType();
    this.amounts = new long[1024 * types];
  }

  /** Adds one sample of a mode with two types: a count and an amount. */
  public void add(
      long time, int stackNumber, int threadNumber, int detailNumber, int cpu, long value) {
    int row = row(stackNumber, threadNumber, detailNumber);
    if (row < 0) {
      withoutRow++;
      return;
    }
    samples++;
    amounts[row * types]++;
    amounts[row * types + 1] += value;
    timeline.append(time, row, cpu, value);
  }

  /** Adds to the amount at a time, but not to the count. */
  public void addPart(
      long time, int stackNumber, int threadNumber, int detailNumber, int cpu, long value) {
    int row = row(stackNumber, threadNumber, detailNumber);
    if (row >= 0) {
      amounts[row * types + 1] += value;
      timeline.append(time, row, cpu, value);
    }
  }

  /** Adds what several events amount to: one value per type. */
  public void addAll(
      long time, int stackNumber, int threadNumber, int detailNumber, long... values) {
    int row = row(stackNumber, threadNumber, detailNumber);
    if (row < 0) {
      withoutRow += values[countType];
      return;
    }
    samples += values[countType];
    for (int type = 0; type < types; type++) {
      amounts[row * types + type] += values[type];
    }
    timeline.append(time, row, 0, values[meaning.mainType()]);
  }

  /** Moves what there is so far to a new profile; this one starts again from nothing. */
  public RawProfile cut() {
    RawProfile before = new RawProfile(meaning, room);
    before.timeline = timeline;
    before.rows = rows;
    before.samples = samples;
    before.withoutStack = withoutStack;
    before.withoutRow = withoutRow;
    before.amounts = amounts;
    timeline = CompactTimeline.builder();
    rows.complete();
    rows = new LongIntIndex(); // the old ones are the other profile's now
    amounts = new long[1024 * types];
    samples = 0;
    lostBefore += withoutStack + withoutRow;
    withoutStack = 0;
    withoutRow = 0;
    return before;
  }

  /** -1 if there is no room for a new one. */
  private int row(int stackNumber, int threadNumber, int detailNumber) {
    long stackAndThread = (long) stackNumber << 32 | Integer.toUnsignedLong(threadNumber);
    int known = rows.find(stackAndThread, detailNumber);
    if (known >= 0) {
      return known;
    }
    if (!room.take()) {
      return -1;
    }
    int row = rows.add(stackAndThread, detailNumber);
    if ((row + 1) * types > amounts.length) {
      amounts = Arrays.copyOf(amounts, row * 2 * types);
    }
    return row;
  }

  public Meaning meaning() {
    return meaning;
  }

  public int rows() {
    return rows.size();
  }

  /** How many samples came. */
  public long samples() {
    return samples;
  }

  /** Counts events that arrived without their stack. */
  public void loseStack(long events) {
    withoutStack += events;
  }

  /** Events whose stack never arrived. */
  public long withoutStack() {
    return withoutStack;
  }

  /** Events that found no room for a row. */
  public long withoutRow() {
    return withoutRow;
  }

  /** Both, including the parts that were cut off. */
  public long lostInAll() {
    return lostBefore + withoutStack + withoutRow;
  }

  /** Samples that are in the rows but have no timestamp, because the temporary disk is full. */
  public long untimed() {
    return timeline.untimed();
  }

  public int stack(int row) {
    return (int) (rows.first(row) >>> 32);
  }

  public int thread(int row) {
    return (int) rows.first(row);
  }

  public int detail(int row) {
    return rows.second(row);
  }

  /** How many samples or events. */
  public long count(int row) {
    return amounts[row * types + countType];
  }

  /** The sum of a row in a type. */
  public long amount(int row, int type) {
    return amounts[row * types + type];
  }

  /** Frees the rows; only the timeline can still be read. */
  public void clearRows() {
    room.giveBack(rows.size());
    rows = new LongIntIndex();
    amounts = new long[0];
  }

  public CompactTimeline timeline() {
    return timeline.build();
  }
}
