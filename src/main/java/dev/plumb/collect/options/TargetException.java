package dev.plumb.collect.options;

/** The target does not exist; the message says what to do. */
public final class TargetException extends RuntimeException {
  public TargetException(String message) {
    super(message);
  }
}
