package dev.plumb.server.pyroscope.otlp;

import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.server.http.BodyMemoryBudget;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.JsonValue;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import dev.plumb.server.pyroscope.wire.JsonToProto;
import dev.plumb.server.pyroscope.wire.ProtoToJson;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;

/** OTLP over HTTP: {@code /v1development/profiles}, in protobuf or JSON. */
public final class OtlpService implements HttpService {
  private static final int MAX_BODY = 16 << 20;

  /** Fields of google.rpc.Status. */
  private static final int STATUS_CODE = 1;

  private static final int STATUS_MESSAGE = 2;

  private final OtlpIntake otlp;

  public OtlpService(OtlpIntake otlp) {
    this.otlp = otlp;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.post("/v1development/profiles", this::export);
  }

  private void export(ServerRequest request, ServerResponse response) {
    String type = request.headers().first(HeaderNames.CONTENT_TYPE).orElse("");
    boolean json = type.startsWith("application/json");
    if (!json && !type.startsWith("application/x-protobuf")) {
      throw new Refusal(
          ErrorCode.UNSUPPORTED, "send application/x-protobuf or application/json as Content-Type");
    }
    response.header(HeaderNames.CONTENT_TYPE, json ? "application/json" : "application/x-protobuf");
    try {
      byte[] body = RequestBody.read(request, MAX_BODY);
      byte[] message = json ? ofJson(body) : body;
      byte[] answer = otlp.export(message);
      response.send(
          json
              ? ProtoToJson.decode(answer, OtlpMessages.RESPONSE).getBytes(StandardCharsets.UTF_8)
              : answer);
    } catch (FormatException e) {
      refuse(response, json, ErrorCode.INVALID_ARGUMENT, e.getMessage());
    } catch (Refusal e) {
      refuse(response, json, e.code(), e.getMessage());
    }
  }

  private static byte[] ofJson(byte[] body) {
    // The text, and the message that is made of it.
    BodyMemoryBudget.take(2L * body.length);
    JsonValue value = JsonValue.parse(new String(body, StandardCharsets.UTF_8));
    return JsonToProto.encode(value, OtlpMessages.REQUEST);
  }

  /** Answers with a google.rpc.Status, as the protocol requires. */
  private static void refuse(
      ServerResponse response, boolean json, ErrorCode code, String message) {
    response.status(Status.create(code.http()));
    if (code == ErrorCode.UNAVAILABLE || code == ErrorCode.BUSY) {
      response.header(HeaderNames.RETRY_AFTER, Refusal.UNAVAILABLE_SECONDS);
    }
    response.send(
        json
            ? Refusal.json(code, message).getBytes(StandardCharsets.UTF_8)
            : new ProtoOut()
                .number(STATUS_CODE, code.grpc())
                .text(STATUS_MESSAGE, message)
                .toBytes());
  }
}
