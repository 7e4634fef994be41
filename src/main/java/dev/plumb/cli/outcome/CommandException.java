package dev.plumb.cli.outcome;

import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;

/** The command behind {@code --} could not be started; the exit code is the one a shell gives. */
public final class CommandException extends RuntimeException {
  private static final int CANNOT_RUN = 126;
  private static final int NOT_FOUND = 127;

  private final int exitCode;

  private CommandException(String message, int exitCode, SyscallException cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  public static CommandException of(String command, SyscallException e) {
    return switch (e.errno()) {
      case Errno.ENOENT ->
          new CommandException(
              command + ": command not found; is it on PATH, and does its interpreter exist?",
              NOT_FOUND,
              e);
      case Errno.EACCES ->
          new CommandException(
              command + ": permission denied; is it a program, and is it executable (chmod +x)?",
              CANNOT_RUN,
              e);
      default ->
          new CommandException(
              command + ": cannot be executed: " + Errno.name(e.errno()) + "; try it without plumb",
              CANNOT_RUN,
              e);
    };
  }

  int exitCode() {
    return exitCode;
  }
}
