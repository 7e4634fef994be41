package dev.plumb.store;

import java.nio.file.Path;
import java.util.Locale;

/** The kinds of files that a segment has; all are Parquet. */
enum SegmentFile {
  /** Single samples. */
  RAW("SELECT * FROM %1$s ORDER BY series, pid, tid, time"),
  /** Sums by thread. */
  THREAD(
      "SELECT h.series, pid, start, tid, thread, detail, {VALUE} AS value, {COUNT} AS count,"
          + " CAST(sum(CASE WHEN flags & 1 = 1 THEN count ELSE 0 END) AS BIGINT) AS cut,"
          + " CAST(sum(CASE WHEN flags & 2 = 2 THEN count ELSE 0 END) AS BIGINT) AS unnamed"
          + " FROM %1$s h LEFT JOIN all_stacks s ON s.id = h.stack GROUP BY ALL"
          + " ORDER BY ALL"),
  /** Sums by second, without stacks. */
  SECOND(
      "SELECT time // 1000000 * 1000000 AS time, series, {VALUE} AS value,"
          + " {COUNT} AS count FROM %1$s GROUP BY ALL ORDER BY series, time"),
  /** Sums by minute. */
  MINUTE(
      "SELECT time // 60000000 * 60000000 AS time, series, stack, {VALUE} AS value,"
          + " {COUNT} AS count FROM %1$s GROUP BY ALL ORDER BY series, stack, time"),
  /** Sums by hour; made from those by minute. */
  HOUR(
      "SELECT time // 3600000000 * 3600000000 AS time, series, stack, {VALUE} AS value,"
          + " {COUNT} AS count FROM read_parquet(%2$s) GROUP BY ALL ORDER BY series, stack, time");

  /** Where numbers come in any order. */
  static final int DICTIONARY = 24_000;

  /** Where there are many rows, sorted by a number: a quarter less than with a large dictionary. */
  private static final int SORTED_DICTIONARY = 1_000;

  /** Samples: more than the stacks of a group of rows, fewer than their times. */
  private static final int SAMPLES_DICTIONARY = 8_000;

  /** Of samples: those of few processes, so that their stacks have short numbers. */
  private static final int SAMPLES_GROUP = 24 * 2048;

  private final String sql;

  SegmentFile(String sql) {
    this.sql = sql;
  }

  Path in(Path folder, int segment) {
    return folder.resolve(name().toLowerCase(Locale.ROOT) + "-" + segment + ".parquet");
  }

  /** The most values of a column that are numbered. */
  int dictionary() {
    return switch (this) {
      case RAW -> SAMPLES_DICTIONARY;
      case MINUTE, SECOND, HOUR -> SORTED_DICTIONARY;
      case THREAD -> DICTIONARY;
    };
  }

  /** How many rows are compressed together. */
  int group() {
    return this == RAW ? SAMPLES_GROUP : Database.GROUP;
  }

  /** What it holds, of a table of samples. */
  String select(String table, Path minutes) {
    return sql.replace("{VALUE}", Rows.sum("value"))
        .replace("{COUNT}", Rows.sum("count"))
        .formatted(table, Database.quoted(minutes.toString()));
  }
}
