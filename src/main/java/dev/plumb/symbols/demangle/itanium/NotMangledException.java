package dev.plumb.symbols.demangle.itanium;

/** Parsing gave up. One instance without a stack trace: names that are not mangled are common. */
public final class NotMangledException extends RuntimeException {
  private static final long serialVersionUID = 1;

  static final NotMangledException INSTANCE = new NotMangledException();

  private NotMangledException() {
    super("not a mangled name", null, false, false);
  }
}
