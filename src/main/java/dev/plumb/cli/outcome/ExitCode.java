package dev.plumb.cli.outcome;

/** How a command ends; 0 is success. */
public final class ExitCode {
  public static final int FAILED = 1;
  public static final int WRONG_USAGE = 2;

  /** Not on this machine, or not with these rights. */
  public static final int NOT_POSSIBLE = 3;

  private ExitCode() {}
}
