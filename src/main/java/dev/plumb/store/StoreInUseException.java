package dev.plumb.store;

/** Another process has the store open; the message says which, and how to query it. */
public final class StoreInUseException extends StoreException {
  private static final long serialVersionUID = 1L;

  public StoreInUseException(String message) {
    this(message, null);
  }

  public StoreInUseException(String message, Throwable cause) {
    super(message, cause);
  }
}
