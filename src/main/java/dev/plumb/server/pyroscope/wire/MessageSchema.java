package dev.plumb.server.pyroscope.wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * How a protobuf message looks in JSON: the name of each field by its number.
 *
 * <p>See "ProtoJSON Format" of the Protocol Buffers documentation: names in lowerCamelCase, 64-bit
 * numbers as strings, bytes in base64, enums by name; readers also take the names as the .proto
 * file spells them.
 */
public final class MessageSchema {
  /** The type of a field. */
  public enum Kind {
    TEXT,
    BYTES,
    /** Trace ids, which OTLP's JSON writes in hex. */
    HEX,
    INT32,
    INT64,
    FIXED64,
    DOUBLE,
    BOOL,
    ENUM,
    MESSAGE
  }

  /** One field. */
  record Field(
      int number,
      String jsonName,
      String protoName,
      Kind kind,
      boolean repeated,
      List<String> enumNames,
      Supplier<MessageSchema> message) {}

  private final String name;
  private final List<Field> fields = new ArrayList<>();
  private final Map<String, Field> byName = new HashMap<>();
  private final Map<Integer, Field> byNumber = new HashMap<>();

  public MessageSchema(String name) {
    this.name = name;
  }

  /** The name that Go's error messages use. */
  String name() {
    return name;
  }

  Optional<Field> field(String fieldName) {
    return Optional.ofNullable(byName.get(fieldName));
  }

  Optional<Field> field(int number) {
    return Optional.ofNullable(byNumber.get(number));
  }

  List<Field> fields() {
    return fields;
  }

  public MessageSchema one(int number, String protoName, Kind kind) {
    return add(number, protoName, kind, false, List.of(), () -> this);
  }

  public MessageSchema many(int number, String protoName, Kind kind) {
    return add(number, protoName, kind, true, List.of(), () -> this);
  }

  MessageSchema oneOf(int number, String protoName, String... enumNames) {
    return add(number, protoName, Kind.ENUM, false, List.of(enumNames), () -> this);
  }

  public MessageSchema one(int number, String protoName, Supplier<MessageSchema> message) {
    return add(number, protoName, Kind.MESSAGE, false, List.of(), message);
  }

  public MessageSchema many(int number, String protoName, Supplier<MessageSchema> message) {
    return add(number, protoName, Kind.MESSAGE, true, List.of(), message);
  }

  private MessageSchema add(
      int number,
      String protoName,
      Kind kind,
      boolean repeated,
      List<String> enumNames,
      Supplier<MessageSchema> message) {
    Field field =
        new Field(number, camel(protoName), protoName, kind, repeated, enumNames, once(message));
    fields.add(field);
    byName.put(protoName, field);
    byName.put(field.jsonName(), field);
    byNumber.put(number, field);
    return this;
  }

  /** Looked up late, because schemas refer to each other before all of them exist. */
  private static Supplier<MessageSchema> once(Supplier<MessageSchema> message) {
    AtomicReference<MessageSchema> made = new AtomicReference<>();
    return () -> made.updateAndGet(known -> known == null ? message.get() : known);
  }

  /** {@code profile_typeID} → {@code profileTypeID}. */
  private static String camel(String protoName) {
    StringBuilder result = new StringBuilder();
    for (int i = 0; i < protoName.length(); i++) {
      char c = protoName.charAt(i);
      boolean upper = i > 0 && protoName.charAt(i - 1) == '_';
      if (c != '_') {
        result.append(upper ? Character.toUpperCase(c) : c);
      }
    }
    return result.toString();
  }
}
