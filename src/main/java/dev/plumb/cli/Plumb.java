package dev.plumb.cli;

import dev.plumb.cli.doctor.DoctorCommand;
import dev.plumb.cli.files.ConvertCommand;
import dev.plumb.cli.files.DiffCommand;
import dev.plumb.cli.files.ReportCommand;
import dev.plumb.cli.history.ExportCommand;
import dev.plumb.cli.history.QueryCommand;
import dev.plumb.cli.history.SqlCommand;
import dev.plumb.cli.inspect.ListCommand;
import dev.plumb.cli.inspect.StackCommand;
import dev.plumb.cli.inspect.SymbolsCommand;
import dev.plumb.cli.outcome.Failures;
import dev.plumb.cli.record.RecordCommand;
import dev.plumb.cli.record.TopCommand;
import dev.plumb.cli.serve.AgentCommand;
import dev.plumb.cli.serve.ServeCommand;
import dev.plumb.cli.text.HelpText;
import dev.plumb.cli.text.Version;
import dev.plumb.collect.Recorder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The root command. */
@Command(
    name = "plumb",
    addMethodSubcommands = false, // to look for them takes time
    description = "Shows where a Linux machine's time goes: every process, kernel and user code.",
    version = "plumb " + Version.TEXT,
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:failure",
      "2:wrong usage",
      "3:not permitted, or not possible on this kernel",
    },
    footer = {
      "",
      "Examples:",
      "  plumb record -d 10              ten seconds of the whole machine → plumb.html",
      "  plumb record -p 1234 -o x.svg   one process, until Ctrl-C",
      "  plumb record wall -- make -j4   a command, running and waiting",
      "  plumb top                       what costs most right now, live",
      "  plumb serve                     history of the machine, at http://localhost:4040",
      "  plumb stack 1234                what each thread of a process does right now",
      "  plumb report plumb.plumb        what was hot, as a table",
      "  plumb doctor                    what works on this machine",
      "",
      "Completion: source <(plumb completion)   (bash and zsh)",
    })
public final class Plumb {
  private static final int HELP_WIDTH = 100;
  private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("record", RecordCommand::new);
    COMMANDS.put("top", TopCommand::new);
    COMMANDS.put("serve", ServeCommand::new);
    COMMANDS.put("agent", AgentCommand::new);
    COMMANDS.put("stack", StackCommand::new);
    COMMANDS.put("report", ReportCommand::new);
    COMMANDS.put("diff", DiffCommand::new);
    COMMANDS.put("convert", ConvertCommand::new);
    COMMANDS.put("query", QueryCommand::new);
    COMMANDS.put("export", ExportCommand::new);
    COMMANDS.put("sql", SqlCommand::new);
    COMMANDS.put("list", ListCommand::new);
    COMMANDS.put("symbols", SymbolsCommand::new);
    COMMANDS.put("doctor", DoctorCommand::new);
    COMMANDS.put("completion", CompletionCommand::new);
    COMMANDS.put("warm-up", WarmUpCommand::new);
  }

  private Plumb() {}

  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("record")) {
      Recorder.prefetch(); // while the command line is read
    }
    System.exit(run(args));
  }

  public static int run(String... args) {
    try {
      if (args.length == 0) {
        everything().usage(System.out);
        return 0;
      }
      Supplier<Object> command = COMMANDS.get(args[0]);
      if (command != null) {
        return run(args[0], command.get(), Arrays.copyOfRange(args, 1, args.length));
      }
      CommandLine line = everything();
      boolean known = args[0].startsWith("-") || line.getSubcommands().containsKey(args[0]);
      return known ? line.execute(args) : Failures.unknownCommand(args[0], line);
    } catch (Error e) { // picocli handles exceptions only
      return Failures.failed(e, List.of(args).contains("--verbose"));
    }
  }

  /** Sets up this command alone: each costs time. */
  private static int run(String name, Object command, String[] args) {
    // What follows "--" is another program's command line: its options are not Plumb's.
    int end = Arrays.asList(args).indexOf("--");
    if (end >= 0 && command instanceof RecordCommand record) {
      record.command(List.of(args).subList(end + 1, args.length));
      args = Arrays.copyOf(args, end);
    }
    if (command instanceof ServeCommand serve) {
      serve.arguments(List.of(args));
    }
    return withOurManners(new CommandLine(command).setCommandName("plumb " + name)).execute(args);
  }

  /** The root command with all commands below it. */
  static CommandLine everything() {
    CommandLine line = new CommandLine(new Plumb());
    COMMANDS.forEach((name, command) -> line.addSubcommand(name, command.get()));
    return withOurManners(line.addSubcommand("help", new CommandLine.HelpCommand()));
  }

  private static CommandLine withOurManners(CommandLine line) {
    return line.setHelpFactory(HelpText::new)
        .setUsageHelpWidth(HELP_WIDTH)
        .setExecutionExceptionHandler(
            (e, command, parsed) -> Failures.failed(e, parsed.hasMatchedOption("--verbose")))
        .setParameterExceptionHandler((e, given) -> Failures.wrongUsage(e));
  }
}
