package dev.plumb.collect.code;

/** What was asked for is not there, or cannot be understood; the message says what to write. */
public final class ProbeException extends IllegalArgumentException {
  public ProbeException(String message) {
    super(message);
  }
}
