package dev.plumb.store;

/** Another process has the store; the message says which, and how to ask it. */
public final class StoreInUseException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final String address;

  StoreInUseException(String message, String address, Throwable cause) {
    super(message, cause);
    this.address = address;
  }

  /** Where it can be asked; empty if nowhere. */
  public String address() {
    return address;
  }
}
