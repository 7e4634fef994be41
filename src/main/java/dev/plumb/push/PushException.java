package dev.plumb.push;

/** Nothing can be pushed; the message says what to do. */
public final class PushException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PushException(String message) {
    super(message);
  }

  public PushException(String message, Throwable cause) {
    super(message, cause);
  }
}
