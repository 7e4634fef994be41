package dev.plumb.store.segment;

import dev.plumb.store.database.ParquetLayout;
import dev.plumb.store.database.SqlText;
import java.nio.file.Path;
import java.util.Locale;

/** The kinds of a segment's Parquet files. */
public enum SegmentFile {
  /** Single samples. */
  RAW("SELECT * FROM %1$s ORDER BY series, pid, tid, time"),
  /** Sums per thread. */
  THREAD(
      "SELECT h.series, pid, start, tid, thread, detail, {VALUE} AS value, {COUNT} AS count,"
          + " CAST(sum(CASE WHEN flags & 1 = 1 THEN count ELSE 0 END) AS BIGINT) AS cut,"
          + " CAST(sum(CASE WHEN flags & 2 = 2 THEN count ELSE 0 END) AS BIGINT) AS unnamed"
          + " FROM %1$s h LEFT JOIN all_stacks s ON s.id = h.stack GROUP BY ALL"
          + " ORDER BY ALL"),
  /** Sums per second, without stacks. */
  SECOND(
      "SELECT time // 1000000 * 1000000 AS time, series, {VALUE} AS value,"
          + " {COUNT} AS count FROM %1$s GROUP BY ALL ORDER BY series, time"),
  /** Sums per minute. */
  MINUTE(
      "SELECT time // 60000000 * 60000000 AS time, series, stack, {VALUE} AS value,"
          + " {COUNT} AS count FROM %1$s GROUP BY ALL ORDER BY series, stack, time"),
  /** Sums per hour; made from those per minute. */
  HOUR(
      "SELECT time // 3600000000 * 3600000000 AS time, series, stack, {VALUE} AS value,"
          + " {COUNT} AS count FROM read_parquet(%2$s) GROUP BY ALL ORDER BY series, stack, time");

  private final String sql;

  SegmentFile(String sql) {
    this.sql = sql;
  }

  Path in(Path folder, int segment) {
    return folder.resolve(name().toLowerCase(Locale.ROOT) + "-" + segment + ".parquet");
  }

  public ParquetLayout layout() {
    return switch (this) {
      case RAW -> ParquetLayout.SAMPLES;
      case MINUTE, SECOND, HOUR -> ParquetLayout.SORTED;
      case THREAD -> ParquetLayout.UNSORTED;
    };
  }

  /** Selects its content from a table of samples. */
  public String select(String table, Path minutes) {
    return sql.replace("{VALUE}", SqlText.sum("value"))
        .replace("{COUNT}", SqlText.sum("count"))
        .formatted(table, SqlText.quoted(minutes.toString()));
  }
}
