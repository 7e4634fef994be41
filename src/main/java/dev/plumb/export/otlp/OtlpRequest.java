package dev.plumb.export.otlp;

import static dev.plumb.export.otlp.OtlpFields.ANY_INT;
import static dev.plumb.export.otlp.OtlpFields.ANY_STRING;
import static dev.plumb.export.otlp.OtlpFields.ATTRIBUTE_KEY;
import static dev.plumb.export.otlp.OtlpFields.ATTRIBUTE_VALUE;
import static dev.plumb.export.otlp.OtlpFields.FUNCTION_FILE;
import static dev.plumb.export.otlp.OtlpFields.FUNCTION_NAME;
import static dev.plumb.export.otlp.OtlpFields.INDEXED_KEY;
import static dev.plumb.export.otlp.OtlpFields.INDEXED_VALUE;
import static dev.plumb.export.otlp.OtlpFields.LINE_FUNCTION;
import static dev.plumb.export.otlp.OtlpFields.LINE_LINE;
import static dev.plumb.export.otlp.OtlpFields.LOCATION_ADDRESS;
import static dev.plumb.export.otlp.OtlpFields.LOCATION_ATTRIBUTES;
import static dev.plumb.export.otlp.OtlpFields.LOCATION_LINES;
import static dev.plumb.export.otlp.OtlpFields.LOCATION_MAPPING;
import static dev.plumb.export.otlp.OtlpFields.MAPPING_ATTRIBUTES;
import static dev.plumb.export.otlp.OtlpFields.MAPPING_FILE;
import static dev.plumb.export.otlp.OtlpFields.PROFILE_DURATION;
import static dev.plumb.export.otlp.OtlpFields.PROFILE_PERIOD;
import static dev.plumb.export.otlp.OtlpFields.PROFILE_PERIOD_TYPE;
import static dev.plumb.export.otlp.OtlpFields.PROFILE_SAMPLES;
import static dev.plumb.export.otlp.OtlpFields.PROFILE_SAMPLE_TYPE;
import static dev.plumb.export.otlp.OtlpFields.PROFILE_TIME;
import static dev.plumb.export.otlp.OtlpFields.REQUEST_DICTIONARY;
import static dev.plumb.export.otlp.OtlpFields.REQUEST_RESOURCES;
import static dev.plumb.export.otlp.OtlpFields.RESOURCE;
import static dev.plumb.export.otlp.OtlpFields.RESOURCE_ATTRIBUTES;
import static dev.plumb.export.otlp.OtlpFields.SAMPLE_ATTRIBUTES;
import static dev.plumb.export.otlp.OtlpFields.SAMPLE_STACK;
import static dev.plumb.export.otlp.OtlpFields.SAMPLE_VALUES;
import static dev.plumb.export.otlp.OtlpFields.SCOPE;
import static dev.plumb.export.otlp.OtlpFields.SCOPES;
import static dev.plumb.export.otlp.OtlpFields.SCOPE_NAME;
import static dev.plumb.export.otlp.OtlpFields.SCOPE_PROFILES;
import static dev.plumb.export.otlp.OtlpFields.STACK_LOCATIONS;
import static dev.plumb.export.otlp.OtlpFields.TABLE_ATTRIBUTES;
import static dev.plumb.export.otlp.OtlpFields.TABLE_FUNCTIONS;
import static dev.plumb.export.otlp.OtlpFields.TABLE_LINKS;
import static dev.plumb.export.otlp.OtlpFields.TABLE_LOCATIONS;
import static dev.plumb.export.otlp.OtlpFields.TABLE_MAPPINGS;
import static dev.plumb.export.otlp.OtlpFields.TABLE_STACKS;
import static dev.plumb.export.otlp.OtlpFields.TABLE_STRINGS;
import static dev.plumb.export.otlp.OtlpFields.TYPE_NAME;
import static dev.plumb.export.otlp.OtlpFields.TYPE_UNIT;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Profiles as OpenTelemetry's {@code ExportProfilesServiceRequest} ({@code v1development} of
 * opentelemetry-proto 1.11), which is the same as its {@code ProfilesData}. Tables are shared by
 * all profiles of a request; index 0 of each is nothing.
 */
public final class OtlpRequest {
  /** A table of the dictionary; gives each distinct entry a number. */
  private static final class Table {
    private final int field;
    private final ProtoOut entries = new ProtoOut();
    private final Map<Object, Integer> numbers = new HashMap<>();

    /** Begins with the entry that stands for nothing. */
    Table(int field) {
      this.field = field;
      entries.message(field, new ProtoOut());
      numbers.put(this, 0);
    }

    int number(Object key, java.util.function.Supplier<ProtoOut> entry) {
      Integer known = numbers.get(key);
      if (known == null) {
        ProtoOut content = entry.get(); // which may add to other tables
        known = numbers.size();
        numbers.put(key, known);
        entries.message(field, content);
      }
      return known;
    }
  }

  private record Module(String name, String buildId) {}

  private record Function(String name, String file) {}

  private record Attribute(String key, Object value) {}

  private record Stack(StackTable table, int number) {}

  private final Map<Map<String, String>, ProtoOut> resources = new HashMap<>();
  private final ProtoOut strings = new ProtoOut();
  private final Map<String, Integer> stringNumbers = new HashMap<>();
  private final Table mappings = new Table(TABLE_MAPPINGS);
  private final Table locations = new Table(TABLE_LOCATIONS);
  private final Table functions = new Table(TABLE_FUNCTIONS);
  private final Table attributes = new Table(TABLE_ATTRIBUTES);
  private final Table stacks = new Table(TABLE_STACKS);

  public OtlpRequest() {
    string("");
  }

  /** Adds a profile; each of its value types becomes a profile of OpenTelemetry. */
  public void add(Labels resource, Profile profile, long startNanos, long durationNanos) {
    ProtoOut profiles = resources.computeIfAbsent(resource.values(), r -> new ProtoOut());
    for (int type = 0; type < profile.types().size(); type++) {
      ProtoOut out = new ProtoOut();
      out.message(PROFILE_SAMPLE_TYPE, type(profile.types().get(type)));
      for (int row = 0; row < profile.rows(); row++) {
        out.message(PROFILE_SAMPLES, sample(profile, row, type));
      }
      out.fixed64(PROFILE_TIME, startNanos).number(PROFILE_DURATION, durationNanos);
      if (profile.period() > 0) {
        out.message(PROFILE_PERIOD_TYPE, type(profile.periodType()));
        out.number(PROFILE_PERIOD, profile.period());
      }
      profiles.message(SCOPE_PROFILES, out);
    }
  }

  /** An estimate of the request's size so far. */
  public int size() {
    int size = strings.size();
    for (Table table : new Table[] {mappings, locations, functions, attributes, stacks}) {
      size += table.entries.size();
    }
    for (ProtoOut profiles : resources.values()) {
      size += profiles.size();
    }
    return size;
  }

  public boolean isEmpty() {
    return resources.isEmpty();
  }

  /** The whole message. */
  public byte[] toBytes() {
    ProtoOut request = new ProtoOut();
    ProtoOut scope = new ProtoOut().element(SCOPE_NAME, "plumb");
    resources.forEach(
        (labels, profiles) -> {
          ProtoOut resource = new ProtoOut();
          new TreeMap<>(labels)
              .forEach(
                  (name, value) -> resource.message(RESOURCE_ATTRIBUTES, keyValue(name, value)));
          request.message(
              REQUEST_RESOURCES,
              new ProtoOut()
                  .message(RESOURCE, resource)
                  .message(SCOPES, new ProtoOut().message(SCOPE, scope).append(profiles)));
        });
    ProtoOut dictionary = new ProtoOut();
    for (Table table : new Table[] {mappings, locations, functions, attributes, stacks}) {
      dictionary.append(table.entries);
    }
    dictionary.message(TABLE_LINKS, new ProtoOut()).append(strings);
    return request.message(REQUEST_DICTIONARY, dictionary).toBytes();
  }

  /** Names the attributes of a resource as OpenTelemetry does. */
  private static ProtoOut keyValue(String name, String value) {
    String key =
        switch (name) {
          case "service_name" -> "service.name";
          case "host" -> "host.name";
          case "container" -> "container.id";
          case "comm" -> "process.executable.name";
          default -> name;
        };
    return new ProtoOut()
        .element(ATTRIBUTE_KEY, key)
        .message(ATTRIBUTE_VALUE, new ProtoOut().element(ANY_STRING, value));
  }

  private ProtoOut type(ValueType type) {
    return new ProtoOut()
        .number(TYPE_NAME, string(type.name()))
        .number(TYPE_UNIT, string(type.unit()));
  }

  private ProtoOut sample(Profile profile, int row, int type) {
    ProtoOut sample = new ProtoOut();
    sample.number(SAMPLE_STACK, stack(profile.stacks(), profile.stack(row)));
    ProtoOut packed = new ProtoOut();
    ThreadInfo thread = profile.thread(row);
    if (thread.pid() != 0) {
      packed.varint(attribute("process.pid", (long) thread.pid()));
      packed.varint(attribute("process.executable.name", thread.processComm()));
      packed.varint(attribute("thread.id", (long) thread.tid()));
      packed.varint(attribute("thread.name", thread.comm()));
    }
    profile.labels(row).values().forEach((name, value) -> packed.varint(attribute(name, value)));
    if (packed.size() > 0) {
      sample.message(SAMPLE_ATTRIBUTES, packed);
    }
    return sample.message(SAMPLE_VALUES, new ProtoOut().varint(profile.value(row, type)));
  }

  private int attribute(String key, Object value) {
    return attributes.number(
        new Attribute(key, value),
        () ->
            new ProtoOut()
                .number(INDEXED_KEY, string(key))
                .message(
                    INDEXED_VALUE,
                    value instanceof Long number
                        ? anyInt(number)
                        : new ProtoOut().element(ANY_STRING, value.toString())));
  }

  /** A oneof field: a zero has to be written, too. */
  private static ProtoOut anyInt(long value) {
    return new ProtoOut().varint(ANY_INT << 3).varint(value);
  }

  private int stack(StackTable table, int stack) {
    return stacks.number(new Stack(table, stack), () -> locationsOf(table, stack));
  }

  /** The locations, leaf first; functions inlined into a frame are lines of its location. */
  private ProtoOut locationsOf(StackTable table, int stack) {
    ProtoOut packed = new ProtoOut();
    int[] frames = table.frameIds(stack);
    for (int from = 0; from < frames.length; ) {
      int to = from;
      while (to < frames.length - 1 && table.frames().get(frames[to]).inlined()) {
        to++;
      }
      Frame[] lines =
          Arrays.stream(frames, from, to + 1).mapToObj(table.frames()::get).toArray(Frame[]::new);
      packed.varint(location(lines));
      from = to + 1;
    }
    return new ProtoOut().message(STACK_LOCATIONS, packed);
  }

  private int location(Frame[] lines) {
    return locations.number(
        Arrays.asList(lines),
        () -> {
          Frame frame = lines[lines.length - 1];
          ProtoOut location = new ProtoOut();
          if (!frame.module().isEmpty()) {
            location.number(LOCATION_MAPPING, mapping(frame));
          }
          location.number(LOCATION_ADDRESS, frame.elfAddress());
          for (Frame line : lines) {
            location.message(
                LOCATION_LINES,
                new ProtoOut()
                    .number(LINE_FUNCTION, function(line))
                    .number(LINE_LINE, line.line()));
          }
          ProtoOut packed = new ProtoOut();
          packed.varint(attribute("profile.frame.type", kind(frame)));
          return location.message(LOCATION_ATTRIBUTES, packed);
        });
  }

  private static String kind(Frame frame) {
    return switch (frame.kind()) {
      case KERNEL -> "kernel";
      case NATIVE -> "native";
      case JIT -> "jit";
      case INTERPRETED -> "interpreted";
      case WAITING -> "waiting";
    };
  }

  private int mapping(Frame frame) {
    return mappings.number(
        new Module(frame.module(), frame.buildId()),
        () -> {
          ProtoOut mapping = new ProtoOut().number(MAPPING_FILE, string(frame.module()));
          if (!frame.buildId().isEmpty()) {
            ProtoOut packed = new ProtoOut();
            packed.varint(attribute("process.executable.build_id.gnu", frame.buildId()));
            mapping.message(MAPPING_ATTRIBUTES, packed);
          }
          return mapping;
        });
  }

  private int function(Frame frame) {
    return functions.number(
        new Function(frame.name(), frame.file()),
        () ->
            new ProtoOut()
                .number(FUNCTION_NAME, string(frame.name()))
                .number(FUNCTION_FILE, string(frame.file())));
  }

  private int string(String text) {
    Integer known = stringNumbers.putIfAbsent(text, stringNumbers.size());
    if (known != null) {
      return known;
    }
    strings.element(TABLE_STRINGS, text);
    return stringNumbers.size() - 1;
  }
}
