package dev.plumb.cli;

import picocli.CommandLine.Option;

/** How much a command that runs for days says. */
final class TalkOptions {
  @Option(names = "--quiet", description = "Say nothing but what goes wrong.")
  private boolean quiet;

  /** Read by {@link Plumb}, who tells of failures. */
  @Option(names = "--verbose", description = "With failures, where they come from.")
  private boolean verbose;

  void say(String text) {
    if (!quiet) {
      System.err.println(SafeText.lines(text));
    }
  }
}
