package dev.plumb.server.api;

/** A question that cannot be answered; the message says what to do. */
final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  ApiException(int status, String code, String message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  static ApiException badRequest(String message) {
    return new ApiException(400, "invalid_argument", message);
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }
}
