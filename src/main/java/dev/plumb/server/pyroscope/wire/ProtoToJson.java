package dev.plumb.server.pyroscope.wire;

import dev.plumb.export.wire.Json;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.server.pyroscope.wire.MessageSchema.Field;
import dev.plumb.server.pyroscope.wire.MessageSchema.Kind;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Translates protobuf to JSON; fields with their default value are omitted, as Go does. */
public final class ProtoToJson {
  private final Json json = new Json();

  private ProtoToJson() {}

  public static String decode(byte[] message, MessageSchema schema) {
    ProtoToJson run = new ProtoToJson();
    run.message(new ProtoIn(message), schema);
    return run.json.toString();
  }

  /** The values of one field, in their order in the message. */
  private static final class Values {
    final List<Object> objects = new ArrayList<>();
    long[] numbers = new long[4];
    int count;

    void add(long number) {
      if (count == numbers.length) {
        numbers = java.util.Arrays.copyOf(numbers, count * 2);
      }
      numbers[count++] = number;
    }
  }

  private void message(ProtoIn in, MessageSchema schema) {
    Map<Field, Values> fields = new LinkedHashMap<>();
    schema.fields().forEach(field -> fields.put(field, new Values()));
    while (in.next()) {
      schema.field(in.field()).ifPresent(field -> take(in, field, fields.get(field)));
    }
    json.open('{');
    fields.forEach(
        (field, values) -> {
          if (values.count > 0 || !values.objects.isEmpty()) {
            json.key(field.jsonName());
            write(field, values);
          }
        });
    json.close('}');
  }

  private static void take(ProtoIn in, Field field, Values values) {
    switch (field.kind()) {
      case TEXT -> values.objects.add(in.string());
      case BYTES, HEX -> values.objects.add(in.content());
      case MESSAGE -> values.objects.add(in.message());
      case DOUBLE, FIXED64 -> in.fixed64s(values::add);
      default -> in.numbers(values::add);
    }
  }

  private void write(Field field, Values values) {
    if (!field.repeated()) {
      if (values.count > 0) {
        number(field, values.numbers[values.count - 1]);
      } else {
        object(field, values.objects.getLast());
      }
      return;
    }
    json.open('[');
    for (int i = 0; i < values.count; i++) {
      number(field, values.numbers[i]);
    }
    values.objects.forEach(value -> object(field, value));
    json.close(']');
  }

  private void number(Field field, long value) {
    switch (field.kind()) {
      case INT64, FIXED64 -> json.value(Long.toString(value));
      case DOUBLE -> real(Double.longBitsToDouble(value));
      case BOOL -> json.value(value != 0);
      case ENUM -> {
        if (value >= 0 && value < field.enumNames().size()) {
          json.value(field.enumNames().get((int) value));
        } else {
          json.value(value);
        }
      }
      default -> json.value(value);
    }
  }

  /** Writes whole numbers without a fraction, as Go does. */
  private void real(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      json.value((long) value);
    } else {
      json.value(value);
    }
  }

  private void object(Field field, Object value) {
    switch (value) {
      case String text -> json.value(text);
      case byte[] bytes ->
          json.value(
              field.kind() == Kind.HEX
                  ? HexFormat.of().formatHex(bytes)
                  : Base64.getEncoder().encodeToString(bytes));
      case ProtoIn message -> message(message, field.message().get());
      default -> throw new IllegalStateException("no such value");
    }
  }
}
