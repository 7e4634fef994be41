package dev.plumb.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** Prints a script that completes Plumb's commands and options in a shell. */
@Command(
    name = "completion",
    description = "Prints a completion script for bash and zsh.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  source <(plumb completion)                              for this shell",
      "  plumb completion > /etc/bash_completion.d/plumb         for all users",
    })
final class CompletionCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    System.out.print(AutoComplete.bash("plumb", Plumb.everything()));
    return 0;
  }
}
