package dev.plumb.store.write;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Distributes a row's values over time. The timeline has the main type's values; of every other
 * type each sample gets its share, such that the sum over all samples is exact.
 *
 * <p>There can be 100 000 waits per second, most of them short. Where there are many, those shorter
 * than a millisecond are summed up per row and second.
 */
final class TimeApportioner {
  /** Receives one sample. */
  @FunctionalInterface
  interface Taker {
    void sample(long micros, int row, int cpu, long value, long count);
  }

  private static final long SHORT_NANOS = 1_000_000;
  private static final long MANY_PER_SECOND = 5_000;
  private static final long SECOND_NANOS = 1_000_000_000;

  private final long startNanos;
  private final int[] entries;
  private final double[] sums;
  private final boolean sumShort;

  private TimeApportioner(long startNanos, int[] entries, double[] sums, boolean sumShort) {
    this.startNanos = startNanos;
    this.entries = entries;
    this.sums = sums;
    this.sumShort = sumShort;
  }

  static TimeApportioner of(Recording recording, Profile profile) {
    int[] entries = new int[profile.rows()];
    double[] sums = new double[profile.rows()];
    profile
        .timeline()
        .forEach(
            (time, row, cpu, value) -> {
              entries[row]++;
              sums[row] += value;
            });
    boolean waits =
        profile.period() == 0
            && profile.types().get(profile.mainType()).unit().equals("nanoseconds");
    boolean many =
        profile.timeline().size()
            > MANY_PER_SECOND * Math.max(1, recording.durationNanos() / SECOND_NANOS);
    return new TimeApportioner(recording.startNanos(), entries, sums, waits && many);
  }

  /** Hands over all of a type's values, each with its share of the count. */
  void each(Profile profile, int type, OptionalInt countType, Taker taker) {
    int rows = profile.rows();
    long[] values = new long[rows];
    long[] counts = new long[rows];
    for (int row = 0; row < rows; row++) {
      values[row] = profile.value(row, type);
      counts[row] =
          countType.isPresent()
              ? profile.value(row, countType.getAsInt())
              : countOf(profile, type, row);
    }
    Walk walk = new Walk(type == profile.mainType(), values, counts, taker);
    profile.timeline().forEach(walk::sample);
    walk.finish();
  }

  /**
   * How many samples a row has in a profile that does not count them: those in the timeline, or, if
   * each stands for the same, the value divided by what one stands for.
   */
  private long countOf(Profile profile, int type, int row) {
    boolean sampled =
        type == profile.mainType()
            && profile.period() > 0
            && profile.periodType().unit().equals(profile.types().get(type).unit());
    long counted = sampled ? Math.round((double) profile.value(row, type) / profile.period()) : 0;
    return Math.max(1, Math.max(counted, entries[row]));
  }

  /** The walk over a timeline. */
  private final class Walk {
    private final boolean main;
    private final long[] values;
    private final long[] counts;
    private final Taker taker;
    private final long[] givenValues;
    private final long[] givenCounts;
    private final int[] seen;
    private final double[] passed;
    private final Map<Long, long[]> shortOnes = new HashMap<>();

    Walk(boolean main, long[] values, long[] counts, Taker taker) {
      this.main = main;
      this.values = values;
      this.counts = counts;
      this.taker = taker;
      this.givenValues = new long[values.length];
      this.givenCounts = new long[values.length];
      this.seen = new int[values.length];
      this.passed = new double[values.length];
    }

    void sample(long time, int row, int cpu, long amount) {
      seen[row]++;
      passed[row] += amount;
      double share = sums[row] != 0 ? passed[row] / sums[row] : (double) seen[row] / entries[row];
      long value = main ? amount : part(values[row], share, givenValues[row]);
      long count = counts[row] == entries[row] ? 1 : part(counts[row], share, givenCounts[row]);
      givenValues[row] += value;
      givenCounts[row] += count;
      if (sumShort && amount < SHORT_NANOS) {
        addShort(time, row, cpu, value, count);
      } else {
        taker.sample(Math.floorDiv(time, 1000), row, cpu, value, count);
      }
    }

    private long part(long whole, double share, long before) {
      return Math.round(whole * Math.min(1, share)) - before;
    }

    private void addShort(long time, int row, int cpu, long value, long count) {
      long key = Math.floorDiv(time, SECOND_NANOS) << 32 ^ row;
      long[] sum =
          shortOnes.computeIfAbsent(
              key, k -> new long[] {Math.floorDiv(time, 1000), row, cpu, 0, 0});
      sum[3] += value;
      sum[4] += count;
    }

    /** Hands over the rest: what has no timestamp counts at the recording's start. */
    void finish() {
      for (long[] sum : shortOnes.values()) {
        taker.sample(sum[0], (int) sum[1], (int) sum[2], sum[3], sum[4]);
      }
      for (int row = 0; row < values.length; row++) {
        long value = values[row] - givenValues[row];
        long count = counts[row] - givenCounts[row];
        if (value != 0 || count != 0) {
          taker.sample(Math.floorDiv(startNanos, 1000), row, -1, value, count);
        }
      }
    }
  }
}
