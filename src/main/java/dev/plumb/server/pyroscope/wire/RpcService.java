package dev.plumb.server.pyroscope.wire;

import dev.plumb.export.wire.FormatException;
import dev.plumb.server.http.BodyMemoryBudget;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.GzipResponse;
import dev.plumb.server.http.JsonValue;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.StoreException;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Serves calls over Connect (unary, in protobuf or JSON) and gRPC, on the same paths. */
public final class RpcService implements HttpService {
  /** JSON is about twice as long as protobuf, and for a moment there are three copies of it. */
  private static final int JSON_GROWTH = 6;

  private final List<RpcMethod> calls;
  private final QueryScheduler scheduler;

  public RpcService(List<RpcMethod> calls, QueryScheduler scheduler) {
    this.calls = calls;
    this.scheduler = scheduler;
  }

  @Override
  public void routing(HttpRules rules) {
    for (RpcMethod call : calls) {
      rules.post(call.path(), (request, response) -> handle(call, request, response));
    }
    calls.stream()
        .map(call -> call.path().substring(0, call.path().lastIndexOf('/')))
        .distinct()
        .forEach(service -> rules.any(service + "/*", (_, response) -> noMethod(response)));
  }

  /** The response of Go's router. */
  private static void noMethod(ServerResponse response) {
    response
        .status(Status.NOT_FOUND_404)
        .header(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .send("404 page not found\n".getBytes(StandardCharsets.UTF_8));
  }

  private void handle(RpcMethod call, ServerRequest request, ServerResponse response) {
    String type =
        request
            .headers()
            .first(HeaderNames.CONTENT_TYPE)
            .orElse("")
            .toLowerCase(Locale.ROOT)
            .split(";", 2)[0]
            .strip();
    switch (type) {
      case "application/proto", "application/json" ->
          connect(call, type.endsWith("json"), request, response);
      case "application/grpc", "application/grpc+proto" ->
          new GrpcCall(request, response)
              .run(call.maxBody(), message -> answer(call, message, false, request));
      default -> {
        response.header(
            HeaderNames.create("Accept-Post"),
            "application/grpc, application/grpc+proto, application/json, application/proto");
        throw new Refusal(
            ErrorCode.UNSUPPORTED,
            "Content-Type '%s' is not supported: send application/proto or application/json"
                .formatted(type));
      }
    }
  }

  private void connect(
      RpcMethod call, boolean json, ServerRequest request, ServerResponse response) {
    byte[] body = RequestBody.read(request, call.maxBody());
    byte[] message = json ? ofJson(call, body) : body;
    byte[] sent = answer(call, message, json, request);
    response.header(HeaderNames.CONTENT_TYPE, json ? "application/json" : "application/proto");
    response.header(HeaderNames.ACCEPT_ENCODING, "gzip");
    GzipResponse.send(request, response, sent);
  }

  private static byte[] ofJson(RpcMethod call, byte[] body) {
    try {
      // The text, and the message that is made from it.
      BodyMemoryBudget.take(2L * body.length);
      String text = new String(body, StandardCharsets.UTF_8);
      if (text.isBlank()) {
        throw Refusal.invalid("unexpected EOF");
      }
      return JsonToProto.encode(JsonValue.parse(text), call.request());
    } catch (Refusal e) {
      if (e.code() != ErrorCode.INVALID_ARGUMENT) {
        throw e;
      }
      throw Refusal.invalid(
          "unmarshal message: unmarshal into *%s: proto: %s",
          call.request().name(), e.getMessage());
    }
  }

  private byte[] answer(RpcMethod call, byte[] message, boolean json, ServerRequest request) {
    try {
      return call.heavy()
          ? scheduler.run(request, () -> made(call, message, json))
          : made(call, message, json);
    } catch (FormatException e) {
      throw Refusal.invalid(
          "unmarshal message: unmarshal into *%s: proto: cannot parse invalid wire-format data"
              + " (%s)",
          call.request().name(), e.getMessage());
    } catch (StoreException e) {
      throw new Refusal(ErrorCode.of(e), e.getMessage());
    }
  }

  private static byte[] made(RpcMethod call, byte[] message, boolean json) {
    byte[] answer = call.method().apply(message);
    HeapAllowance.take((long) (json ? JSON_GROWTH : 1) * answer.length);
    return json
        ? ProtoToJson.decode(answer, call.response()).getBytes(StandardCharsets.UTF_8)
        : answer;
  }
}
