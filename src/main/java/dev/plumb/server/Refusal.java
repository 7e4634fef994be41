package dev.plumb.server;

import dev.plumb.export.wire.Json;

/** A request that is not answered as asked; the message says why and what to do. */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** When to try again what the store cannot do now, such as writing to a full disk. */
  public static final String UNAVAILABLE_SECONDS = "5";

  private final Code code;

  public Refusal(Code code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  public static Refusal invalid(String format, Object... arguments) {
    return new Refusal(Code.INVALID_ARGUMENT, format.formatted(arguments));
  }

  public Code code() {
    return code;
  }

  /** As every error goes out. */
  public static String json(Code code, String message) {
    return new Json()
        .open('{')
        .key("code")
        .value(code.text())
        .key("message")
        .value(message)
        .close('}')
        .toString();
  }
}
