package dev.plumb.store.database;

import java.util.List;

/**
 * The tables of the database. A change to them must raise the version. Since version 4,
 * dictionaries may begin with more than nine empty stacks: one for each {@link
 * dev.plumb.profile.StackEnd} that their writer knew.
 */
public final class StoreSchema {
  public static final int VERSION = 4;

  /** Columns of samples in tables and files; times are wall-clock microseconds. */
  static final String SAMPLE_COLUMNS =
      "time BIGINT, series INTEGER, pid INTEGER, tid INTEGER, start BIGINT, thread VARCHAR,"
          + " detail INTEGER, stack INTEGER, cpu SMALLINT, value BIGINT, count BIGINT";

  /** Since version 2: rollups of segments. */
  public static final String BUNDLES =
      "CREATE TABLE IF NOT EXISTS bundles(level INTEGER, number INTEGER, first_time BIGINT, last_time BIGINT,"
          + " bytes BIGINT)";

  /** Since version 2; see Ageing. */
  public static final String AGE_CLOCK = "CREATE TABLE IF NOT EXISTS age_clock(millis BIGINT)";

  /** Since version 3: the number of the last file stored from each spool; see SpoolMark. */
  public static final String SPOOL_MARKS =
      "CREATE TABLE IF NOT EXISTS spool_marks(source VARCHAR, number BIGINT)";

  public static final List<String> TABLES =
      List.of(
          "CREATE TABLE meta(version INTEGER)",
          "INSERT INTO meta VALUES (" + VERSION + ")",
          "CREATE TABLE measures(id INTEGER, mode VARCHAR, type VARCHAR, count_type VARCHAR,"
              + " period BIGINT)",
          "CREATE TABLE all_series(id INTEGER, measure INTEGER)",
          "CREATE TABLE series_labels(series INTEGER, name VARCHAR, value VARCHAR)",
          "CREATE TABLE details(id INTEGER, name VARCHAR, value VARCHAR)",
          // A dictionary's stacks and frames are numbered from its bases up to the next one's.
          "CREATE TABLE dictionaries(stack_base INTEGER, frame_base INTEGER,"
              + " detail_base INTEGER)",
          "CREATE TABLE all_stacks(id INTEGER, caller INTEGER, frame INTEGER, flags TINYINT)",
          "CREATE TABLE all_frames(id INTEGER, name VARCHAR, kind TINYINT, inlined BOOLEAN,"
              + " named BOOLEAN, module VARCHAR, build_id VARCHAR, address BIGINT,"
              + " byte_offset BIGINT, file VARCHAR, line INTEGER)",
          "CREATE TABLE recording_quality(time BIGINT, mode VARCHAR, what VARCHAR, reason VARCHAR,"
              + " n DOUBLE)",
          // Tables of samples that are not in segments yet, and segments; see SegmentCatalog.
          "CREATE TABLE hot_tables(id INTEGER, stack_base INTEGER)",
          "CREATE TABLE segments(id INTEGER, first_time BIGINT, last_time BIGINT,"
              + " sample_rows BIGINT, stack_base INTEGER, raw_bytes BIGINT, minute_bytes BIGINT,"
              + " hour_bytes BIGINT)",
          "CREATE TABLE segment_series(segment INTEGER, series INTEGER)",
          BUNDLES,
          AGE_CLOCK,
          SPOOL_MARKS,
          hotTable(1),
          "INSERT INTO hot_tables VALUES (1, 0)",
          "INSERT INTO dictionaries VALUES (0, 0, 0)");

  private StoreSchema() {}

  public static String hotTable(int id) {
    return "CREATE TABLE " + hotName(id) + "(" + SAMPLE_COLUMNS + ")";
  }

  public static String hotName(int id) {
    return "hot_" + id;
  }
}
