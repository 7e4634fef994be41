package dev.plumb.cli.options;

import dev.plumb.export.file.WriteOptions;
import picocli.CommandLine.Option;

/** Which mode of a recording, and which of its values. */
public final class ChoiceOptions {
  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "Mode to use if the file holds several: cpu, offcpu, …")
  public String mode = "";

  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Value to use instead of the mode's default, e.g. samples.")
  public String value = "";

  public WriteOptions writeOptions() {
    return WriteOptions.DEFAULT.withMode(mode).withValue(value);
  }
}
