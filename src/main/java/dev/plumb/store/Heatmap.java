package dev.plumb.store;

/**
 * When in each second something happened.
 *
 * @param startNanos the first column's second
 * @param columns seconds, or several seconds each where the range is long
 * @param rows parts of a second, the first at its start
 * @param values column by column
 */
public record Heatmap(long startNanos, int secondsPerColumn, int columns, int rows, long[] values) {
  public long value(int column, int row) {
    return values[column * rows + row];
  }
}
