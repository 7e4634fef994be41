package dev.plumb.bpf;

import dev.plumb.bpf.error.BpfException;

/** The kernel's verifier refused a program; the message has its one telling line. */
public final class VerifierException extends BpfException {
  private final String log;

  VerifierException(String message, String log) {
    super(message);
    this.log = log;
  }

  /** All that the verifier said. */
  public String log() {
    return log;
  }
}
