package dev.plumb.export;

/** Output that could not be written; one line with the remedy. */
public final class OutputException extends RuntimeException {
  OutputException(String message, Throwable cause) {
    super(message, cause);
  }
}
