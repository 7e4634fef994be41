package dev.plumb.cli.outcome;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.cli.text.Stderr;
import dev.plumb.collect.code.NameSuggestions;
import dev.plumb.collect.options.ModeException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns failures into one line that says what to do, and into the exit code. */
public final class Failures {
  private Failures() {}

  /** Something went wrong while a command ran. */
  public static int failed(Throwable e, boolean verbose) {
    if (verbose) {
      e.printStackTrace();
    }
    say(
        text(e)
            + (!verbose && isOurFault(e)
                ? "; this is a bug in Plumb; --verbose prints a stack trace"
                : ""));
    return exitCode(e);
  }

  private static String text(Throwable e) {
    if (e instanceof OutOfMemoryError) {
      return "out of memory; allow more (PLUMB_HEAP=1g plumb …), or record less";
    }
    String message = e.getMessage();
    // A bare "null" or an index says nothing without the name of the exception.
    return message == null || isOurFault(e) ? e.toString() : message;
  }

  private static int exitCode(Throwable e) {
    return switch (e) {
      case CommandException c -> c.exitCode();
      case NotPossibleException n -> ExitCode.NOT_POSSIBLE;
      case BpfException b -> ExitCode.NOT_POSSIBLE;
      case ModeException m -> ExitCode.NOT_POSSIBLE;
      case SyscallException s when s.errno() == Errno.EPERM || s.errno() == Errno.EACCES ->
          ExitCode.NOT_POSSIBLE;
      case NumberFormatException n -> ExitCode.FAILED;
      case IllegalArgumentException i -> ExitCode.WRONG_USAGE;
      default -> ExitCode.FAILED;
    };
  }

  private static boolean isOurFault(Throwable e) {
    return e instanceof NullPointerException
        || e instanceof IndexOutOfBoundsException
        || e instanceof ClassCastException
        || e instanceof NumberFormatException
        || e instanceof IllegalStateException
        || e instanceof Error && !(e instanceof OutOfMemoryError);
  }

  /** The command line cannot be understood. */
  public static int wrongUsage(ParameterException e) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    if (e instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().getFirst();
      if (unmatched.isUnknownOption()) {
        return unknown("option", word, command.getCommandSpec().optionsMap().keySet(), name);
      }
      if (!command.getSubcommands().isEmpty()) {
        return unknownCommand(word, command);
      }
      say("unexpected argument '" + word + "'; see `" + name + " --help`");
    } else {
      say(e.getMessage().strip().replaceFirst("\\.$", "") + "; see `" + name + " --help`");
    }
    return ExitCode.WRONG_USAGE;
  }

  /** There is no such command below another one. */
  public static int unknownCommand(String word, CommandLine parent) {
    List<String> commands =
        parent.getSubcommands().entrySet().stream()
            .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
            .map(Map.Entry::getKey)
            .toList();
    return unknown("command", word, commands, parent.getCommandSpec().qualifiedName());
  }

  private static int unknown(String what, String word, Collection<String> all, String command) {
    String similar =
        all.stream().filter(w -> isSimilar(word, w)).sorted().collect(Collectors.joining(" or "));
    String hint = similar.isEmpty() ? "" : "did you mean " + similar + "? ";
    say("unknown %s '%s'; %ssee `%s --help`".formatted(what, word, hint, command));
    return ExitCode.WRONG_USAGE;
  }

  /** A beginning of it, or at most two letters are wrong, missing or superfluous. */
  private static boolean isSimilar(String word, String command) {
    return word.length() > 2
        && (command.startsWith(word) || NameSuggestions.distance(word, command, 2) <= 2);
  }

  private static void say(String text) {
    Stderr.say(text);
  }
}
