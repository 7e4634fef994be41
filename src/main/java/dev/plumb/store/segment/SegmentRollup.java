package dev.plumb.store.segment;

import dev.plumb.store.database.SqlText;
import java.util.List;

/**
 * The sums of several segments, so that a query over a long time reads fewer rows and files. A
 * rollup of level 1 covers up to four segments, each further level four times as many; the numbers
 * of the segments say which. It contains nothing that its segments do not contain.
 *
 * @param number counts the rollups of a level
 * @param firstMicros time of its oldest row
 * @param lastMicros time of its newest row
 */
public record SegmentRollup(int level, int number, long firstMicros, long lastMicros, long bytes) {
  public static final int LEVELS = 4;

  /** The kinds of a rollup's files. */
  public enum File {
    /** Sums per stack. */
    SUMS(
        "SELECT series, stack, {VALUE} AS value, {COUNT} AS count FROM {FROM} GROUP BY ALL"
            + " ORDER BY series, stack"),
    /** Sums per minute, without stacks. */
    STEPS(
        "SELECT time // 60000000 * 60000000 AS time, series, {VALUE} AS value, {COUNT} AS count"
            + " FROM {FROM} GROUP BY ALL ORDER BY series, time");

    private final String sql;

    File(String sql) {
      this.sql = sql;
    }

    public String select(String from) {
      return sql.replace("{VALUE}", SqlText.sum("value"))
          .replace("{COUNT}", SqlText.sum("count"))
          .replace("{FROM}", from);
    }
  }

  public static int segments(int level) {
    return 1 << 2 * level;
  }

  public static int numberOf(int level, int segment) {
    return segment >> 2 * level;
  }

  public boolean holds(int segment) {
    return numberOf(level, segment) == number;
  }

  /** Whether this covers all segments of a rollup of a lower level. */
  public boolean holds(SegmentRollup other) {
    return other.level() < level && other.number() >> 2 * (level - other.level()) == number;
  }

  public boolean liesWithin(long fromMicros, long toMicros) {
    return firstMicros >= fromMicros && lastMicros < toMicros;
  }

  public static SegmentRollup of(int level, int number, List<StoreSegment> segments, long bytes) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (StoreSegment segment : segments) {
      first = Math.min(first, segment.firstMicros());
      last = Math.max(last, segment.lastMicros());
    }
    return new SegmentRollup(level, number, first, last, bytes);
  }
}
