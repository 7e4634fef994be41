package dev.plumb.cli.outcome;

/** Something is not permitted or not possible here; the message says what to do. */
public final class NotPossibleException extends RuntimeException {
  public NotPossibleException(String message) {
    super(message);
  }
}
