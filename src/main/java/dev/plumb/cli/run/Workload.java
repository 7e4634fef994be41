package dev.plumb.cli.run;

import dev.plumb.cli.outcome.CommandException;
import dev.plumb.cli.text.Terminal;
import dev.plumb.linux.ChildProcess;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SyscallException;
import java.util.List;

/**
 * The command that is recorded: its exit code becomes Plumb's, and signals that only Plumb received
 * are passed on.
 */
public final class Workload {
  private final ChildProcess process;
  private final Interrupts interrupts;
  private boolean passedOn;

  private Workload(ChildProcess process, Interrupts interrupts) {
    this.process = process;
    this.interrupts = interrupts;
  }

  public static Workload start(List<String> command, Interrupts interrupts) {
    try {
      return new Workload(ChildProcess.start(command), interrupts);
    } catch (SyscallException e) {
      throw CommandException.of(command.getFirst(), e);
    }
  }

  /** Whether it has ended; passes on the signal that asked Plumb to stop. */
  public boolean ended() {
    interrupts.first().ifPresent(this::passOn);
    return process.exitCode().isPresent();
  }

  /** At a terminal, the command receives Ctrl-C as well; other signals only Plumb received. */
  private void passOn(int signal) {
    if (!passedOn && (signal != Interrupts.INT || !Terminal.isControlling())) {
      ProcessCalls.tryKill(process.pid(), signal);
    }
    passedOn = true;
  }

  /** Waits for the end of the command, as a shell would. */
  public int exitCode() throws InterruptedException {
    while (!ended()) {
      Thread.sleep(20);
    }
    return process.exitCode().getAsInt();
  }
}
