package dev.plumb.server.http;

import dev.plumb.export.wire.Json;

/** A request that is not served; the message says why and what to do. */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** When to retry what the store cannot do now, such as writing to a full disk. */
  public static final String UNAVAILABLE_SECONDS = "5";

  private final ErrorCode code;

  public Refusal(ErrorCode code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  public static Refusal invalid(String format, Object... arguments) {
    return new Refusal(ErrorCode.INVALID_ARGUMENT, format.formatted(arguments));
  }

  public ErrorCode code() {
    return code;
  }

  /** The body of every error response. */
  public static String json(ErrorCode code, String message) {
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
