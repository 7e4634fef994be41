package dev.plumb.export.wire;

/** A file is damaged or of another kind, or a format cannot express what was asked; one line. */
public final class FormatException extends RuntimeException {
  public FormatException(String message) {
    super(message);
  }

  public FormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
