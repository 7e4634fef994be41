package dev.plumb.collect.options;

/** What was asked for is not there; the message says what to do. */
public final class TargetException extends RuntimeException {
  public TargetException(String message) {
    super(message);
  }
}
