import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a long history from a short one by repeating all segments, each time a whole number of hours
 * later. Because sums begin at whole seconds, minutes and hours, these are the files that the store
 * would have written for the same samples; this takes a tenth of the time. Samples are repeated for
 * the last day only, because the disk budget would have dropped older ones.
 */
final class StoreRepeat {
  private static final long HOUR = 3_600_000_000L;

  private record Piece(int id, long first, long last, long rows, int base) {}

  private final Statement sql;
  private final Path segments;

  private StoreRepeat(Statement sql, Path segments) {
    this.sql = sql;
    this.segments = segments;
  }

  /** Repeats the segments of a closed store that has all its rows in segments. */
  static void run(Path folder, int hours, int timesMore) throws SQLException, IOException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("plumb.duckdb"));
        Statement sql = connection.createStatement()) {
      new StoreRepeat(sql, folder.resolve("segments")).repeat(hours, timesMore);
    }
  }

  private void repeat(int hours, int timesMore) throws SQLException, IOException {
    List<Piece> pieces = new ArrayList<>();
    try (ResultSet rows =
        sql.executeQuery(
            "SELECT id, first_time, last_time, sample_rows, stack_base FROM segments ORDER BY id")) {
      while (rows.next()) {
        pieces.add(
            new Piece(
                rows.getInt(1), rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getInt(5)));
      }
    }
    int hot = number("SELECT max(id) FROM hot_tables");
    int next = hot;
    for (int time = 1; time <= timesMore; time++) {
      boolean samples = (timesMore - time) * hours < 24;
      for (Piece piece : pieces) {
        repeat(piece, next++, time * hours * HOUR, samples);
      }
    }
    for (Piece piece : pieces) {
      Files.delete(file("raw", piece.id()));
      Files.delete(file("thread", piece.id()));
    }
    sql.execute("UPDATE segments SET raw_bytes = 0 WHERE id < " + hot);
    sql.execute("ALTER TABLE hot_" + hot + " RENAME TO hot_" + next);
    sql.execute("UPDATE hot_tables SET id = " + next + " WHERE id = " + hot);
    sql.execute(
        "INSERT INTO recording_quality SELECT time + i * %d, mode, what, reason, n FROM recording_quality, range(1, %d) r(i)"
            .formatted(hours * HOUR, timesMore + 1));
  }

  private void repeat(Piece piece, int id, long later, boolean samples)
      throws SQLException, IOException {
    long minute = copy("minute", piece, id, later) + copy("second", piece, id, later);
    long hour = copy("hour", piece, id, later);
    long raw = 0;
    if (samples) {
      Files.copy(file("thread", piece.id()), file("thread", id));
      raw = copy("raw", piece, id, later) + Files.size(file("thread", id));
    }
    sql.execute(
        "INSERT INTO segments VALUES (%d, %d, %d, %d, %d, %d, %d, %d)"
            .formatted(
                id,
                piece.first() + later,
                piece.last() + later,
                piece.rows(),
                piece.base(),
                raw,
                minute,
                hour));
    sql.execute(
        "INSERT INTO segment_series SELECT %d, series FROM segment_series WHERE segment = %d"
            .formatted(id, piece.id()));
  }

  private long copy(String kind, Piece piece, int id, long later) throws SQLException, IOException {
    sql.execute(
        "COPY (SELECT * REPLACE (time + %d AS time) FROM read_parquet('%s')) TO '%s' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT %d)"
            .formatted(
                later,
                file(kind, piece.id()),
                file(kind, id),
                kind.equals("minute") || kind.equals("second") ? 1_000 : 24_000));
    return Files.size(file(kind, id));
  }

  private Path file(String kind, int id) {
    return segments.resolve(kind + "-" + id + ".parquet");
  }

  private int number(String query) throws SQLException {
    try (ResultSet rows = sql.executeQuery(query)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
