package dev.plumb.cli.options;

import dev.plumb.cli.text.SafeText;
import picocli.CommandLine.Option;

/** How much a command that runs for days prints. */
public final class TalkOptions {
  @Option(names = "--quiet", description = "Print warnings and errors only.")
  private boolean quiet;

  /** Read by {@code Plumb}, which reports failures. */
  @Option(names = "--verbose", description = "Print a stack trace with errors.")
  private boolean verbose;

  public void say(String text) {
    if (!quiet) {
      System.err.println(SafeText.lines(text));
    }
  }
}
