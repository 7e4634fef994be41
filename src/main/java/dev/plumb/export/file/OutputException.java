package dev.plumb.export.file;

/** Output could not be written; the message is one line and says what to do. */
public final class OutputException extends RuntimeException {
  public OutputException(String message, Throwable cause) {
    super(message, cause);
  }
}
