package dev.plumb.cli.options;

import picocli.CommandLine.Option;

/** The title of a flame graph. */
public final class TitleOption {
  @Option(
      names = "--title",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Title of the flame graph.")
  private String title;

  public String title() {
    return title;
  }
}
