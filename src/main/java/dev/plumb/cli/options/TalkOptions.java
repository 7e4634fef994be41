package dev.plumb.cli.options;

import dev.plumb.cli.Plumb;
import dev.plumb.cli.text.SafeText;
import picocli.CommandLine.Option;

/** How much a command that runs for days says. */
public final class TalkOptions {
  @Option(names = "--quiet", description = "Say nothing but what goes wrong.")
  private boolean quiet;

  /** Read by {@link Plumb}, who tells of failures. */
  @Option(names = "--verbose", description = "With failures, where they come from.")
  private boolean verbose;

  public void say(String text) {
    if (!quiet) {
      System.err.println(SafeText.lines(text));
    }
  }
}
