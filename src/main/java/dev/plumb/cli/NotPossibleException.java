package dev.plumb.cli;

/** Something is not permitted or not possible here; the message says what to do. */
final class NotPossibleException extends RuntimeException {
  NotPossibleException(String message) {
    super(message);
  }
}
