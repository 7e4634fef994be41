package dev.plumb.server;

/** The server cannot start; the message is one line and says what to do. */
public final class ServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ServerException(String message) {
    super(message);
  }

  public ServerException(String message, Throwable cause) {
    super(message, cause);
  }
}
