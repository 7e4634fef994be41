package dev.plumb.store;

/** The store cannot do what was asked; the message says what to do. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whose fault it is. */
  public enum Reason {
    /** The question is not understood. */
    QUESTION,
    /** The answer would be too large or take too long: a smaller question would do. */
    TOO_MUCH,
    /** The store's, its disk's or its folder's. */
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
