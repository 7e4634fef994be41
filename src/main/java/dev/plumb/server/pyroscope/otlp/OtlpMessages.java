package dev.plumb.server.pyroscope.otlp;

import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.BOOL;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.BYTES;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.DOUBLE;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.FIXED64;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.HEX;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.INT32;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.INT64;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.TEXT;

import dev.plumb.server.pyroscope.wire.MessageSchema;

/** OpenTelemetry's profiles (opentelemetry-proto 1.11, v1development), as JSON names them. */
public final class OtlpMessages {
  public static final String GRPC_PATH =
      "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

  private static final MessageSchema ANY_VALUE =
      new MessageSchema("commonv1.AnyValue")
          .one(1, "string_value", TEXT)
          .one(2, "bool_value", BOOL)
          .one(3, "int_value", INT64)
          .one(4, "double_value", DOUBLE)
          .one(7, "bytes_value", BYTES)
          .one(8, "string_value_strindex", INT32);

  private static final MessageSchema KEY_VALUE =
      new MessageSchema("commonv1.KeyValue")
          .one(1, "key", TEXT)
          .one(2, "value", () -> ANY_VALUE)
          .one(3, "key_strindex", INT32);

  private static final MessageSchema VALUE_TYPE =
      new MessageSchema("profiles.ValueType")
          .one(1, "type_strindex", INT32)
          .one(2, "unit_strindex", INT32);

  private static final MessageSchema SAMPLE =
      new MessageSchema("profiles.Sample")
          .one(1, "stack_index", INT32)
          .many(2, "attribute_indices", INT32)
          .one(3, "link_index", INT32)
          .many(4, "values", INT64)
          .many(5, "timestamps_unix_nano", FIXED64);

  private static final MessageSchema PROFILE =
      new MessageSchema("profiles.Profile")
          .one(1, "sample_type", () -> VALUE_TYPE)
          .many(2, "samples", () -> SAMPLE)
          .one(3, "time_unix_nano", FIXED64)
          .one(4, "duration_nano", INT64)
          .one(5, "period_type", () -> VALUE_TYPE)
          .one(6, "period", INT64)
          .one(7, "profile_id", HEX)
          .many(11, "attribute_indices", INT32);

  private static final MessageSchema SCOPE =
      new MessageSchema("profiles.ScopeProfiles").many(2, "profiles", () -> PROFILE);

  private static final MessageSchema RESOURCE =
      new MessageSchema("profiles.ResourceProfiles")
          .one(
              1,
              "resource",
              () -> new MessageSchema("resourcev1.Resource").many(1, "attributes", () -> KEY_VALUE))
          .many(2, "scope_profiles", () -> SCOPE);

  private static final MessageSchema LOCATION =
      new MessageSchema("profiles.Location")
          .one(1, "mapping_index", INT32)
          .one(2, "address", INT64)
          .many(
              3,
              "lines",
              () ->
                  new MessageSchema("profiles.Line")
                      .one(1, "function_index", INT32)
                      .one(2, "line", INT64))
          .many(4, "attribute_indices", INT32);

  private static final MessageSchema DICTIONARY =
      new MessageSchema("profiles.ProfilesDictionary")
          .many(
              1,
              "mapping_table",
              () ->
                  new MessageSchema("profiles.Mapping")
                      .one(1, "memory_start", INT64)
                      .one(2, "memory_limit", INT64)
                      .one(3, "file_offset", INT64)
                      .one(4, "filename_strindex", INT32)
                      .many(5, "attribute_indices", INT32))
          .many(2, "location_table", () -> LOCATION)
          .many(
              3,
              "function_table",
              () ->
                  new MessageSchema("profiles.Function")
                      .one(1, "name_strindex", INT32)
                      .one(2, "system_name_strindex", INT32)
                      .one(3, "filename_strindex", INT32)
                      .one(4, "start_line", INT64))
          .many(5, "string_table", TEXT)
          .many(
              6,
              "attribute_table",
              () ->
                  new MessageSchema("profiles.KeyValueAndUnit")
                      .one(1, "key_strindex", INT32)
                      .one(2, "value", () -> ANY_VALUE)
                      .one(3, "unit_strindex", INT32))
          .many(
              7,
              "stack_table",
              () -> new MessageSchema("profiles.Stack").many(1, "location_indices", INT32));

  public static final MessageSchema REQUEST =
      new MessageSchema("profiles.ExportProfilesServiceRequest")
          .many(1, "resource_profiles", () -> RESOURCE)
          .one(2, "dictionary", () -> DICTIONARY);

  public static final MessageSchema RESPONSE =
      new MessageSchema("profiles.ExportProfilesServiceResponse")
          .one(
              1,
              "partial_success",
              () ->
                  new MessageSchema("profiles.ExportProfilesPartialSuccess")
                      .one(1, "rejected_profiles", INT64)
                      .one(2, "error_message", TEXT));

  private OtlpMessages() {}
}
