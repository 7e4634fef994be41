package dev.plumb.store;

/**
 * How a value is distributed over the parts of each second.
 *
 * @param startNanos start of the first column
 * @param columns one per second, or per several seconds where the range is long
 * @param rows parts of a second; row 0 is its start
 * @param values column by column
 */
public record Heatmap(long startNanos, int secondsPerColumn, int columns, int rows, long[] values) {
  public long value(int column, int row) {
    return values[column * rows + row];
  }
}
