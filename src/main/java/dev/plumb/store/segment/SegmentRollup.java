package dev.plumb.store.segment;

import dev.plumb.store.database.SqlText;
import java.util.List;

/**
 * Sums of several segments in one place: of a long time there are fewer rows to read, and fewer
 * files. A bundle of level 1 is of up to four segments, each further level of four times as many;
 * which they are follows from their numbers. It holds nothing that its segments do not hold.
 *
 * @param number counts the bundles of a level
 * @param firstMicros of its segments' oldest row
 * @param lastMicros of its segments' newest row
 */
public record SegmentRollup(int level, int number, long firstMicros, long lastMicros, long bytes) {
  public static final int LEVELS = 4;

  /** The kinds of files that a bundle has. */
  public enum File {
    /** By stack. */
    SUMS(
        "SELECT series, stack, {VALUE} AS value, {COUNT} AS count FROM {FROM} GROUP BY ALL"
            + " ORDER BY series, stack"),
    /** By minute, without stacks. */
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

  /** Whether all segments of another one of a lower level are in this one too. */
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
