package dev.plumb.server.http;

import dev.plumb.store.StoreException;

/** Why a request failed: the name and number that Connect and gRPC use, and the HTTP status. */
public enum ErrorCode {
  INVALID_ARGUMENT("invalid_argument", 400, 3),
  UNAUTHENTICATED("unauthenticated", 401, 16),
  PERMISSION_DENIED("permission_denied", 403, 7),
  NOT_FOUND("not_found", 404, 5),
  WRONG_METHOD("unimplemented", 405, 12),
  TIMEOUT("deadline_exceeded", 408, 4),
  TOO_LARGE("resource_exhausted", 413, 8),
  UNSUPPORTED("unimplemented", 415, 12),
  BUSY("resource_exhausted", 429, 8),
  INTERNAL("internal", 500, 13),
  UNAVAILABLE("unavailable", 503, 14);

  private final String text;
  private final int http;
  private final int grpc;

  ErrorCode(String text, int http, int grpc) {
    this.text = text;
    this.http = http;
    this.grpc = grpc;
  }

  public String text() {
    return text;
  }

  public int http() {
    return http;
  }

  public int grpc() {
    return grpc;
  }

  /** For a query that the store cannot answer: the client's fault if another query would work. */
  public static ErrorCode of(StoreException e) {
    return switch (e.reason()) {
      case QUESTION -> INVALID_ARGUMENT;
      case TOO_MUCH -> TOO_LARGE;
      case STORE -> UNAVAILABLE;
    };
  }

  /** The most specific code for a status that Helidon chose. */
  public static ErrorCode ofStatus(int status) {
    for (ErrorCode code : values()) {
      if (code.http == status) {
        return code;
      }
    }
    return status >= 500 ? INTERNAL : INVALID_ARGUMENT;
  }
}
