package dev.plumb.export.wire;

/** A file that is not what it should be, or a wish that a format cannot hold; one line and why. */
public final class FormatException extends RuntimeException {
  public FormatException(String message) {
    super(message);
  }

  public FormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
