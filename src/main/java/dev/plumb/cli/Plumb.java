package dev.plumb.cli;

import dev.plumb.bpf.BpfException;
import dev.plumb.bpf.UnsupportedException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import java.util.Arrays;
import java.util.List;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The root command. */
@Command(
    name = "plumb",
    description = "Shows where a Linux machine's time goes: every process, kernel and user code.",
    version = "plumb " + Plumb.VERSION,
    mixinStandardHelpOptions = true,
    subcommands = {
      RecordCommand.class,
      ReportCommand.class,
      DiffCommand.class,
      ConvertCommand.class,
      ListCommand.class,
      DoctorCommand.class,
      WarmUpCommand.class,
      GenerateCompletion.class,
      CommandLine.HelpCommand.class,
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine",
      "1:failed",
      "2:wrong usage",
      "3:not permitted, or not possible on this kernel",
    },
    footer = {
      "",
      "Examples:",
      "  plumb record -d 10              ten seconds of the whole machine → plumb.html",
      "  plumb record -p 1234 -o x.svg   one process, until Ctrl-C",
      "  plumb record wall -- make -j4   a command, running and waiting",
      "  plumb report plumb.plumb        what was hot, as a table",
      "  plumb doctor                    what works on this machine",
      "",
      "Completion: source <(plumb generate-completion)",
    })
public final class Plumb {
  static final String VERSION = "0.1.0";

  static final int FAILED = 1;
  static final int WRONG_USAGE = 2;
  static final int NOT_POSSIBLE = 3;

  private Plumb() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  static int run(String... args) {
    RecordCommand record = new RecordCommand();
    CommandLine line =
        new CommandLine(new Plumb())
            .setExecutionExceptionHandler((e, command, parsed) -> failed(e, parsed))
            .setParameterExceptionHandler((e, given) -> wrongUsage(e));
    line.getSubcommands().get("generate-completion").getCommandSpec().usageMessage().hidden(true);
    // What follows "--" is somebody else's command line: its options are not ours.
    int end = Arrays.asList(args).indexOf("--");
    if (end >= 0 && args[0].equals("record")) {
      List<String> command = List.of(args).subList(end + 1, args.length);
      RecordCommand given = line.getSubcommands().get("record").getCommand();
      given.command(command);
      args = Arrays.copyOf(args, end);
    }
    if (args.length == 0) {
      line.usage(System.out);
      return 0;
    }
    return line.execute(args);
  }

  private static int failed(Exception e, CommandLine.ParseResult parsed) {
    boolean verbose = parsed.hasSubcommand() && parsed.subcommand().hasMatchedOption("--verbose");
    if (verbose) {
      e.printStackTrace();
    }
    System.err.println("plumb: " + (e.getMessage() == null ? e.toString() : e.getMessage()));
    return switch (e) {
      case UnsupportedException u -> NOT_POSSIBLE;
      case SyscallException s when s.errno() == Errno.EPERM || s.errno() == Errno.EACCES ->
          NOT_POSSIBLE;
      case BpfException b -> NOT_POSSIBLE;
      case IllegalArgumentException i -> WRONG_USAGE;
      default -> {
        if (!verbose && isOurFault(e)) {
          System.err.println("plumb: this is a bug in Plumb; --verbose shows where");
        }
        yield FAILED;
      }
    };
  }

  private static boolean isOurFault(Exception e) {
    return e instanceof NullPointerException
        || e instanceof IndexOutOfBoundsException
        || e instanceof ClassCastException
        || e instanceof IllegalStateException;
  }

  private static int wrongUsage(ParameterException e) {
    System.err.println("plumb: " + e.getMessage());
    CommandLine command = e.getCommandLine();
    System.err.println(
        "plumb: see `" + command.getCommandSpec().qualifiedName() + " --help` for how to use it");
    return WRONG_USAGE;
  }
}
