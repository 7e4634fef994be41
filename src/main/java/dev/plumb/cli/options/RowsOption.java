package dev.plumb.cli.options;

import picocli.CommandLine.Option;

/** How many rows of a table are shown. */
public final class RowsOption {
  @Option(
      names = {"-n", "--top"},
      paramLabel = "TOP",
      defaultValue = "20",
      description = "Rows of the table (default: ${DEFAULT-VALUE}).")
  private int rows;

  public int rows() {
    return rows;
  }
}
