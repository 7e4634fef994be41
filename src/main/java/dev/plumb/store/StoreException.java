package dev.plumb.store;

/** The store cannot do what was requested; the message says what to do. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What caused it. */
  public enum Reason {
    /** The query is invalid. */
    QUESTION,
    /** The result would be too large or take too long; a smaller query would do. */
    TOO_MUCH,
    /** The store, its disk or its folder. */
    STORE
  }

  private final Reason reason;

  public StoreException(String message) {
    this(Reason.STORE, message);
  }

  public StoreException(String message, Throwable cause) {
    this(Reason.STORE, message, cause);
  }

  public StoreException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public StoreException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
