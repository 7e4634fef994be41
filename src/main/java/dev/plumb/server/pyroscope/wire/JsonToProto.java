package dev.plumb.server.pyroscope.wire;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.server.http.JsonValue;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.MessageSchema.Field;
import dev.plumb.server.pyroscope.wire.MessageSchema.Kind;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** Translates JSON to protobuf; unknown names are ignored. */
public final class JsonToProto {
  private JsonToProto() {}

  public static byte[] encode(JsonValue json, MessageSchema schema) {
    return message(json, schema).toBytes();
  }

  private static ProtoOut message(JsonValue json, MessageSchema schema) {
    ProtoOut out = new ProtoOut();
    if (!(json instanceof JsonValue.Members members)) {
      throw Refusal.invalid("syntax error: %s must be an object", schema.name());
    }
    members
        .values()
        .forEach((name, value) -> schema.field(name).ifPresent(field -> field(field, value, out)));
    return out;
  }

  private static void field(Field field, JsonValue value, ProtoOut out) {
    if (value instanceof JsonValue.Nothing) {
      return;
    }
    if (!field.repeated()) {
      single(field, value, out);
      return;
    }
    if (!(value instanceof JsonValue.Elements elements)) {
      throw wrong(field, value);
    }
    List<JsonValue> values = elements.values();
    if (isPacked(field.kind())) {
      ProtoOut packed = new ProtoOut();
      for (JsonValue element : values) {
        if (field.kind() == Kind.DOUBLE) {
          packed.fixed64(Double.doubleToRawLongBits(decimal(field, element).doubleValue()));
        } else if (field.kind() == Kind.FIXED64) {
          packed.fixed64(whole(field, element));
        } else {
          packed.varint(whole(field, element));
        }
      }
      out.message(field.number(), packed);
      return;
    }
    for (JsonValue element : values) {
      single(field, element, out);
    }
  }

  private static boolean isPacked(Kind kind) {
    return switch (kind) {
      case INT32, INT64, FIXED64, DOUBLE, BOOL, ENUM -> true;
      default -> false;
    };
  }

  private static void single(Field field, JsonValue value, ProtoOut out) {
    int number = field.number();
    switch (field.kind()) {
      case TEXT -> out.element(number, text(field, value));
      case BYTES -> out.bytes(number, base64(field, text(field, value)));
      case HEX -> out.bytes(number, hex(field, text(field, value)));
      case INT32, INT64, ENUM -> out.number(number, whole(field, value));
      case FIXED64 -> out.real(number, Double.longBitsToDouble(whole(field, value)));
      case DOUBLE -> out.real(number, decimal(field, value).doubleValue());
      case BOOL -> out.bool(number, value instanceof JsonValue.Truth(boolean is) && is);
      case MESSAGE -> out.message(number, message(value, field.message().get()));
    }
  }

  private static String text(Field field, JsonValue value) {
    if (value instanceof JsonValue.Text(String text)) {
      return text;
    }
    throw wrong(field, value);
  }

  private static byte[] base64(Field field, String text) {
    try {
      String plain = text.replace('-', '+').replace('_', '/');
      return Base64.getDecoder().decode(plain);
    } catch (IllegalArgumentException e) {
      throw wrong(field, new JsonValue.Text(text));
    }
  }

  private static byte[] hex(Field field, String text) {
    try {
      return HexFormat.of().parseHex(text);
    } catch (IllegalArgumentException e) {
      throw wrong(field, new JsonValue.Text(text));
    }
  }

  private static long whole(Field field, JsonValue value) {
    if (field.kind() == Kind.ENUM && value instanceof JsonValue.Text(String name)) {
      int ordinal = field.enumNames().indexOf(name);
      if (ordinal >= 0) {
        return ordinal;
      }
    }
    if (value instanceof JsonValue.Truth(boolean is)) {
      return is ? 1 : 0;
    }
    try {
      BigDecimal number = decimal(field, value);
      boolean unsigned = field.kind() == Kind.FIXED64 || field.kind() == Kind.INT64;
      return unsigned && number.signum() > 0
          ? Long.parseUnsignedLong(number.toBigIntegerExact().toString())
          : number.longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw wrong(field, value);
    }
  }

  /** Refuses huge exponents: writing out such a number would take forever. */
  private static BigDecimal decimal(Field field, JsonValue value) {
    String text =
        switch (value) {
          case JsonValue.Numeral(String numeral) -> numeral;
          case JsonValue.Text(String string) -> string;
          default -> throw wrong(field, value);
        };
    try {
      BigDecimal number = new BigDecimal(text.length() > 64 ? "x" : text);
      if (Math.abs((long) number.scale()) > 400) {
        throw wrong(field, value);
      }
      return number;
    } catch (NumberFormatException | ArithmeticException e) {
      throw wrong(field, value);
    }
  }

  private static Refusal wrong(Field field, JsonValue value) {
    String shown =
        switch (value) {
          case JsonValue.Text(String text) -> '"' + text + '"';
          case JsonValue.Numeral(String text) -> text;
          case JsonValue.Truth(boolean is) -> Boolean.toString(is);
          case JsonValue.Elements _ -> "[";
          case JsonValue.Members _ -> "{";
          case JsonValue.Nothing _ -> "null";
        };
    String cut = shown.length() > 100 ? shown.substring(0, 100) : shown;
    return Refusal.invalid("invalid value for field %s: %s", field.jsonName(), cut);
  }
}
