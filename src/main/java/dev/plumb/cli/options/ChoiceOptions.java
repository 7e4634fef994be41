package dev.plumb.cli.options;

import dev.plumb.export.file.WriteOptions;
import picocli.CommandLine.Option;

/** What of a recording is shown: which mode, and which of its columns. */
public final class ChoiceOptions {
  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "One mode of several: cpu, offcpu, …")
  public String mode = "";

  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Another value of the mode, e.g. samples.")
  public String value = "";

  public WriteOptions writeOptions() {
    return WriteOptions.DEFAULT.withMode(mode).withValue(value);
  }
}
