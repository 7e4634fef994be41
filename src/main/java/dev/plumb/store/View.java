package dev.plumb.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What there is at the moment of a question, and where to read it. */
final class View {
  private final Reader reader;
  private final List<Integer> hotTables = new ArrayList<>();

  View(Reader reader) throws SQLException {
    this.reader = reader;
    reader.query(
        "SELECT id FROM hot_tables ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            hotTables.add(chunk.vector(0).getInt(row));
          }
        });
  }

  Reader reader() {
    return reader;
  }

  /** Single samples. */
  List<Source> samples(TimeRange range) {
    List<Source> sources = new ArrayList<>();
    for (int table : hotTables) {
      sources.add(new Source(Schema.hotName(table), condition(range)));
    }
    return sources;
  }

  /** Whatever adds up to the range's sums. */
  List<Source> sums(TimeRange range) {
    return samples(range);
  }

  /** Whatever adds up to the sums of each step. */
  List<Source> steps(TimeRange range, long stepNanos) {
    return samples(range);
  }

  /** Single samples if they are needed, else what adds up to their sums. */
  List<Source> sums(TimeRange range, boolean samples) {
    return samples ? samples(range) : sums(range);
  }

  /** Whatever knows which series have rows. */
  List<Source> presence(TimeRange range, boolean samples) {
    return samples(range);
  }

  /** From the oldest to the newest. */
  Optional<TimeRange> span() throws SQLException {
    long[] span = {Long.MAX_VALUE, Long.MIN_VALUE};
    for (int table : hotTables) {
      reader.query(
          "SELECT min(time), max(time) FROM " + Schema.hotName(table),
          chunk -> {
            if (chunk.rowCount() > 0 && !chunk.vector(0).isNull(0)) {
              span[0] = Math.min(span[0], chunk.vector(0).getLong(0));
              span[1] = Math.max(span[1], chunk.vector(1).getLong(0));
            }
          });
    }
    return span[0] > span[1]
        ? Optional.empty()
        : Optional.of(new TimeRange(span[0] * 1000, (span[1] + 1) * 1000));
  }

  static long micros(long nanos) {
    return -Math.floorDiv(-nanos, 1000L);
  }

  static String condition(TimeRange range) {
    return "time >= " + micros(range.fromNanos()) + " AND time < " + micros(range.toNanos());
  }
}
