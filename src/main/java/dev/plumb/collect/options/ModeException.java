package dev.plumb.collect.options;

/** A mode cannot be recorded here; others can. The message says why and what to do. */
public final class ModeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ModeException(String message) {
    super(message);
  }
}
