package dev.plumb.store.database;

/**
 * How a Parquet file is laid out.
 *
 * @param dictionary the maximum size of a column's dictionary; without one, numbers are written as
 *     deltas, which are short where they are sorted
 * @param group rows per row group
 * @param level zstd compression level
 */
public record ParquetLayout(int dictionary, int group, int level) {
  private static final int PAGE = 2048;

  /** For numbers in any order. */
  public static final ParquetLayout UNSORTED = new ParquetLayout(24_000, 60 * PAGE, 3);

  /** For many rows sorted by a number: a quarter smaller than with a large dictionary. */
  public static final ParquetLayout SORTED = new ParquetLayout(1_000, 60 * PAGE, 3);

  /**
   * For samples. A group has samples of few processes, so that its stacks have short numbers:
   * stacks fit into the dictionary, times do not. The high level costs a quarter of a microsecond
   * per sample and saves a fifth of a byte.
   */
  public static final ParquetLayout SAMPLES = new ParquetLayout(8_000, 24 * PAGE, 15);

  /** For many columns, most of them empty in each row: a small group takes little memory. */
  public static final ParquetLayout NAMES = new ParquetLayout(8_000, 8 * PAGE, 9);

  /** As options of {@code COPY}. */
  String options() {
    return "FORMAT parquet, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT %d, ROW_GROUP_SIZE %d, COMPRESSION zstd, COMPRESSION_LEVEL %d"
        .formatted(dictionary, group, level);
  }
}
