package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.segment.SegmentNamesFiles;
import dev.plumb.store.segment.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * Fills a new database with what can be read of a damaged one and with the segments that have names
 * of their own (see {@link dev.plumb.store.segment.SegmentNames}). Rows that refer to lost data are
 * left out.
 */
public final class DatabaseRescue {
  /** The rows per group in DuckDB's tables: damage costs a whole group. */
  private static final int GROUP = 122_880;

  /** All tables but those of samples. */
  private static final List<String> TABLES =
      List.of(
          "measures",
          "all_series",
          "series_labels",
          "details",
          "dictionaries",
          "all_stacks",
          "all_frames",
          "segments",
          "segment_series",
          "bundles",
          "hot_tables",
          "recording_quality",
          "age_clock",
          "spool_marks");

  private final DuckDBConnection connection;
  private final SegmentFolder folder;
  private final List<String> lost = new ArrayList<>();
  private boolean complete = true;
  private int found;

  public DatabaseRescue(Database database, SegmentFolder folder) {
    this.connection = database.writer();
    this.folder = folder;
  }

  /** The number of segments that were entered from their own files. */
  public int found() {
    return found;
  }

  /** What was lost, for people. */
  public List<String> lost() {
    return lost;
  }

  /**
   * @param damaged the database that cannot be used; empty if there is none
   */
  public void run(Optional<Path> damaged) throws SQLException, IOException {
    for (String sql : StoreSchema.TABLES) {
      execute(sql);
    }
    for (String table : List.of("hot_tables", "dictionaries")) {
      execute("DELETE FROM " + table);
    }
    execute("DROP TABLE " + StoreSchema.hotName(1));
    if (damaged.isEmpty() || !copyAll(damaged.get())) {
      complete = false;
      lost.add("samples that were not in segments yet");
    }
    for (Path names : folder.names().all()) {
      enter(names);
    }
    if (!complete) {
      new RescuedNumbers(connection).mend();
    }
    if (count("SELECT count(*) FROM dictionaries") == 0) {
      execute("INSERT INTO dictionaries VALUES (0, 0, 0)");
    }
    beginTable();
  }

  private boolean copyAll(Path damaged) throws SQLException {
    if (!tryTo("ATTACH %s AS damaged (READ_ONLY)".formatted(SqlText.quoted(damaged.toString())))) {
      return false;
    }
    if (!isThere("meta")) { // DuckDB opens an empty file as an empty database
      execute("DETACH damaged");
      return false;
    }
    for (String table : TABLES) {
      complete &= copy(table);
    }
    for (int hot : hotTables()) {
      execute(StoreSchema.hotTable(hot));
      copy(StoreSchema.hotName(hot));
    }
    execute("DETACH damaged");
    return true;
  }

  private boolean isThere(String table) throws SQLException {
    String tables = "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'damaged'";
    return count(tables + " AND table_name = '%s'".formatted(table)) > 0;
  }

  private List<Integer> hotTables() {
    List<Integer> ids = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'damaged'"
                    + " AND regexp_full_match(table_name, 'hot_[0-9]+')")) {
      while (rows.next()) {
        ids.add(Integer.parseInt(rows.getString(1).substring("hot_".length())));
      }
    } catch (SQLException e) {
      lost.add("samples that were not in segments yet");
    }
    return ids;
  }

  /** Whether all of a table could be read; an older version may not have the table. */
  private boolean copy(String table) throws SQLException {
    if (!isThere(table)) {
      return true;
    }
    String all = "INSERT INTO %1$s SELECT * FROM damaged.main.%1$s".formatted(table);
    if (tryTo(all)) {
      return true;
    }
    long rows;
    try {
      rows = count("SELECT count(*) FROM damaged.main." + table);
    } catch (SQLException e) {
      lost.add("table " + table);
      return false;
    }
    long copied = count("SELECT count(*) FROM main." + table);
    for (long from = 0; from < rows; from += GROUP) {
      tryTo(all + " WHERE rowid BETWEEN %d AND %d".formatted(from, from + GROUP - 1));
    }
    copied = count("SELECT count(*) FROM main." + table) - copied;
    lost.add("%,d of %,d rows of table %s".formatted(rows - copied, rows, table));
    return false;
  }

  /** Enters what is missing from a segment's file of names. */
  private void enter(Path file) throws SQLException, IOException {
    String from = "FROM read_parquet(%s)".formatted(SqlText.quoted(file.toString()));
    if (!SegmentNamesFiles.isIntact(file) || !tryTo("SELECT max(hash(r)) %s r".formatted(from))) {
      // Without it, the segment's files are set aside unless the database lists them.
      lost.add("names of a segment, set aside as " + SegmentFolder.setAside(file));
      return;
    }
    byId("measures", "id, mode, type, count_type, period", from, "measure");
    byId("all_series", "id, measure", from, "series");
    byId("all_stacks", "id, caller, frame, flags", from, "stack");
    byId(
        "all_frames",
        "id, name, kind, inlined, named, module, build_id, address, byte_offset, file, line",
        from,
        "frame");
    whole("series_labels", "series, name, value", from, "label");
    whole("details", "id, name, value", from, "detail");
    whole("dictionaries", "stack_base, frame_base, detail_base", from, "segment");
    int id = (int) count("SELECT id %s WHERE what = 'segment'".formatted(from));
    whole("segment_series", id + ", id", from, "series");
    if (count("SELECT count(*) FROM segments WHERE id = " + id) == 0) {
      enterSegment(id, from);
    }
  }

  private void enterSegment(int id, String from) throws SQLException {
    long[] bytes = new long[Tier.values().length];
    long all = 0;
    for (Tier tier : Tier.values()) {
      bytes[tier.ordinal()] = folder.wholeBytes(folder.files(tier, id));
      all += bytes[tier.ordinal()];
    }
    if (all > 0) {
      execute(
          ("INSERT INTO segments SELECT id, first_time, last_time, sample_rows, stack_base,"
                  + " %d, %d, %d %s WHERE what = 'segment'")
              .formatted(bytes[0], bytes[1], bytes[2], from));
      found++;
    }
  }

  private void byId(String table, String columns, String from, String what) throws SQLException {
    execute(
        "INSERT INTO %1$s SELECT %2$s %3$s WHERE what = '%4$s' AND id NOT IN (SELECT id FROM %1$s)"
            .formatted(table, columns, from, what));
  }

  private void whole(String table, String columns, String from, String what) throws SQLException {
    execute(
        "INSERT INTO %1$s SELECT %2$s %3$s WHERE what = '%4$s' EXCEPT SELECT * FROM %1$s"
            .formatted(table, columns, from, what));
  }

  /** Begins the current table, which is the last one and uses the last dictionary. */
  private void beginTable() throws SQLException {
    long base = count("SELECT max(stack_base) FROM dictionaries");
    int next =
        (int)
            (count(
                    "SELECT coalesce(max(id), 0) FROM (SELECT id FROM hot_tables"
                        + " UNION ALL SELECT id FROM segments)")
                + 1);
    execute(StoreSchema.hotTable(next));
    execute("INSERT INTO hot_tables VALUES (%d, %d)".formatted(next, base));
  }

  private boolean tryTo(String sql) {
    try {
      execute(sql);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private void execute(String sql) throws SQLException {
    Database.execute(connection, sql);
  }

  private long count(String sql) throws SQLException {
    return Database.number(connection, sql);
  }

  /** Replaces the damaged database by the rescued one; returns where the damaged one is now. */
  public static Optional<Path> swap(Path file, Path rescued) throws IOException {
    Optional<Path> aside = Optional.empty();
    if (Files.exists(file)) {
      aside = Optional.of(file.resolveSibling(SegmentFolder.setAside(file)));
    }
    Path log = file.resolveSibling(file.getFileName() + ".wal");
    if (Files.exists(log)) {
      SegmentFolder.setAside(log);
    }
    Files.move(rescued, file);
    return aside;
  }
}
