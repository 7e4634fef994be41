package dev.plumb.cli.options;

import picocli.CommandLine.Option;

/** How often CPUs are sampled. */
public final class FrequencyOption {
  @Option(
      names = "-F",
      paramLabel = "HZ",
      description = "Sampling frequency per CPU, in Hz (default 99).")
  public int hertz = 99;

  /** The frequency; fails if it is not a frequency. */
  public int valid() {
    if (hertz < 1) {
      throw new IllegalArgumentException(
          "-F " + hertz + ": the sampling frequency must be at least 1 Hz");
    }
    return hertz;
  }
}
