package dev.plumb.export.file;

/** Output that could not be written; one line with the remedy. */
public final class OutputException extends RuntimeException {
  public OutputException(String message, Throwable cause) {
    super(message, cause);
  }
}
