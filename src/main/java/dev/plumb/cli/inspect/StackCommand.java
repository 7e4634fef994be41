package dev.plumb.cli.inspect;

import dev.plumb.cli.options.DebuginfodOptions;
import dev.plumb.cli.text.Colours;
import dev.plumb.collect.stop.ProcessStackReader;
import dev.plumb.collect.stop.ProcessStacks;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb stack PID}: what every thread of a process is doing right now. */
@Command(
    name = "stack",
    addMethodSubcommands = false, // to look for them takes time
    description = {
      "Prints the stack of every thread of a process once, innermost frame first.",
      "",
      "Plumb stops all threads together for a moment (the last line says how long), copies their"
          + " registers and stacks, and resumes them; it unwinds and symbolizes the copies afterwards."
          + " The kernel's part is /proc/PID/task/TID/stack, read just before the stop; it is shown"
          + " if the thread waited in the same system call when it was stopped.",
    },
    sortOptions = false,
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:no such process, or it ended meanwhile",
      "2:wrong usage",
      "3:not permitted, or not possible: it is being traced, or is a 32-bit program",
    },
    footer = {
      "",
      "Examples:",
      "  plumb stack 1234                 every thread",
      "  plumb stack 1234 -t 1240,1241    these threads; the others are not stopped",
      "  plumb stack 1234 --json | jq '.threads[].frames[0].name'",
    })
public final class StackCommand implements Callable<Integer> {
  @Parameters(paramLabel = "PID", description = "The process, by its pid as seen here.")
  private int pid;

  @Option(names = "-t", split = ",", paramLabel = "TID", description = "Only these threads.")
  private List<Integer> tids = List.of();

  @Option(names = "--json", description = "Print one JSON object instead of text.")
  private boolean json;

  @Mixin private DebuginfodOptions debuginfodOptions = new DebuginfodOptions();

  @Option(names = "--verbose", description = "Print a stack trace with errors.")
  private boolean verbose;

  @Override
  public Integer call() {
    StackTarget.require(pid, tids);
    ProcessStacks stacks;
    Optional<Debuginfod> servers = debuginfodOptions.servers();
    try (ProcessStackReader look = new ProcessStackReader(pid, tids)) {
      servers.ifPresent(look::useServer);
      stacks = look.take();
    }
    StackPrinter printer = new StackPrinter(System.out, Colours.ofStandardOutput());
    if (json) {
      printer.printJson(stacks);
    } else {
      printer.print(stacks);
    }
    return 0;
  }
}
