package dev.plumb.collect.code;

/** The requested thing does not exist or cannot be understood; the message says what to write. */
public final class ProbeException extends IllegalArgumentException {
  public ProbeException(String message) {
    super(message);
  }
}
