package dev.plumb.cli;

import dev.plumb.export.WriteOptions;
import picocli.CommandLine.Option;

/** What of a recording is shown: which mode, and which of its columns. */
final class ChoiceOptions {
  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "One mode of several: cpu, offcpu, …")
  String mode = "";

  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Another value of the mode, e.g. samples.")
  String value = "";

  WriteOptions writeOptions() {
    return WriteOptions.DEFAULT.withMode(mode).withValue(value);
  }
}
