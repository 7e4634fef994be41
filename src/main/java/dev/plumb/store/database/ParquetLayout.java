package dev.plumb.store.database;

/**
 * How rows lie in a Parquet file.
 *
 * @param dictionary the most values of a column that are numbered; else numbers are written as
 *     differences, which are short where they are sorted
 * @param group how many rows are compressed together
 * @param level how hard they are compressed, as zstd counts
 */
public record ParquetLayout(int dictionary, int group, int level) {
  private static final int PAGE = 2048;

  /** Where numbers come in any order. */
  public static final ParquetLayout UNSORTED = new ParquetLayout(24_000, 60 * PAGE, 3);

  /** Where there are many rows, sorted by a number: a quarter less than with a large dictionary. */
  public static final ParquetLayout SORTED = new ParquetLayout(1_000, 60 * PAGE, 3);

  /**
   * A group has samples of few processes, so that their stacks have short numbers; it may number
   * the stacks, but not the times. A high level takes a quarter of a microsecond a sample and saves
   * a fifth of a byte.
   */
  public static final ParquetLayout SAMPLES = new ParquetLayout(8_000, 24 * PAGE, 15);

  /** Many columns, most of them empty in a row: a small group takes little memory. */
  public static final ParquetLayout NAMES = new ParquetLayout(8_000, 8 * PAGE, 9);

  /** As options of {@code COPY}. */
  public String options() {
    return "FORMAT parquet, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT %d, ROW_GROUP_SIZE %d, COMPRESSION zstd, COMPRESSION_LEVEL %d"
        .formatted(dictionary, group, level);
  }
}
