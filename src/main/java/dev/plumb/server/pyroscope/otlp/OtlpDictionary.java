package dev.plumb.server.pyroscope.otlp;

import dev.plumb.export.otlp.OtlpFields;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The tables that all profiles of one OTLP request share; index 0 stands for nothing. */
final class OtlpDictionary {
  private final List<String> strings = new ArrayList<>();
  private final List<Mapping> mappings = new ArrayList<>();
  private final List<Location> locations = new ArrayList<>();
  private final List<Function> functions = new ArrayList<>();
  private final List<Attribute> attributes = new ArrayList<>();
  private final List<int[]> stacks = new ArrayList<>();

  private record Mapping(long start, long fileOffset, int file, int[] attributes) {}

  private record Location(int mapping, long address, List<int[]> lines, int[] attributes) {}

  private record Function(int name, int file) {}

  /** A name and its value as text. */
  record Attribute(String key, String value) {}

  OtlpDictionary(ProtoIn in) {
    List<ProtoIn> late = new ArrayList<>();
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.TABLE_MAPPINGS -> mapping(in.message());
        case OtlpFields.TABLE_LOCATIONS -> location(in.message());
        case OtlpFields.TABLE_FUNCTIONS -> function(in.message());
        case OtlpFields.TABLE_STRINGS -> strings.add(in.string());
        case OtlpFields.TABLE_ATTRIBUTES -> late.add(in.message());
        case OtlpFields.TABLE_STACKS -> stack(in.message());
        default -> {}
      }
    }
    late.forEach(this::attribute);
  }

  private void mapping(ProtoIn in) {
    long start = 0;
    long offset = 0;
    int file = 0;
    Ints indices = new Ints();
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.MAPPING_START -> start = in.number();
        case OtlpFields.MAPPING_OFFSET -> offset = in.number();
        case OtlpFields.MAPPING_FILE -> file = (int) in.number();
        case OtlpFields.MAPPING_ATTRIBUTES -> in.numbers(indices::add);
        default -> {}
      }
    }
    mappings.add(new Mapping(start, offset, file, indices.all()));
  }

  private void location(ProtoIn in) {
    int mapping = 0;
    long address = 0;
    List<int[]> lines = new ArrayList<>(1);
    Ints indices = new Ints();
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.LOCATION_MAPPING -> mapping = (int) in.number();
        case OtlpFields.LOCATION_ADDRESS -> address = in.number();
        case OtlpFields.LOCATION_LINES -> lines.add(line(in.message()));
        case OtlpFields.LOCATION_ATTRIBUTES -> in.numbers(indices::add);
        default -> {}
      }
    }
    locations.add(new Location(mapping, address, lines, indices.all()));
  }

  private static int[] line(ProtoIn in) {
    int[] line = new int[2];
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.LINE_FUNCTION -> line[0] = (int) in.number();
        case OtlpFields.LINE_LINE -> line[1] = Math.clamp(in.number(), 0, Integer.MAX_VALUE);
        default -> {}
      }
    }
    return line;
  }

  private void function(ProtoIn in) {
    int name = 0;
    int system = 0;
    int file = 0;
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.FUNCTION_NAME -> name = (int) in.number();
        case OtlpFields.FUNCTION_SYSTEM_NAME -> system = (int) in.number();
        case OtlpFields.FUNCTION_FILE -> file = (int) in.number();
        default -> {}
      }
    }
    functions.add(new Function(name == 0 ? system : name, file));
  }

  private void attribute(ProtoIn in) {
    int key = 0;
    String value = "";
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.INDEXED_KEY -> key = (int) in.number();
        case OtlpFields.INDEXED_VALUE -> value = value(in.message());
        default -> {}
      }
    }
    attributes.add(new Attribute(string(key), value));
  }

  /** A value as text; lists and maps are useless as labels. */
  String value(ProtoIn in) {
    String value = "";
    while (in.next()) {
      value =
          switch (in.field()) {
            case OtlpFields.ANY_STRING -> in.string();
            case OtlpFields.ANY_BOOL -> Boolean.toString(in.number() != 0);
            case OtlpFields.ANY_INT -> Long.toString(in.number());
            case OtlpFields.ANY_DOUBLE -> Double.toString(in.real());
            case OtlpFields.ANY_BYTES -> HexFormat.of().formatHex(in.content());
            case OtlpFields.ANY_STRING_INDEX -> string((int) in.number());
            default -> value;
          };
    }
    return value;
  }

  private void stack(ProtoIn in) {
    Ints indices = new Ints();
    while (in.next()) {
      if (in.field() == OtlpFields.STACK_LOCATIONS) {
        in.numbers(indices::add);
      }
    }
    stacks.add(indices.all());
  }

  String string(int index) {
    return index == 0 && strings.isEmpty() ? "" : at(strings, index, "string");
  }

  Attribute attribute(int index) {
    return at(attributes, index, "attribute");
  }

  /** The locations of a stack, leaf first. */
  int[] stack(int index) {
    return index == 0 && stacks.isEmpty() ? new int[0] : at(stacks, index, "stack");
  }

  private static <T> T at(List<T> table, int index, String what) {
    if (index < 0 || index >= table.size()) {
      throw new FormatException(
          "%s %d of %d in the dictionary".formatted(what, index, table.size()));
    }
    return table.get(index);
  }

  /** A location's frames, the innermost first; all but the last are inlined. */
  List<Frame> frames(int index) {
    Location location = at(locations, index, "location");
    Mapping mapping =
        location.mapping() == 0 && mappings.isEmpty()
            ? new Mapping(0, 0, 0, new int[0])
            : at(mappings, location.mapping(), "mapping");
    String module = string(mapping.file());
    FrameKind kind = kind(location.attributes());
    String buildId = buildId(mapping.attributes());
    boolean shifted = Long.compareUnsigned(location.address(), mapping.start()) >= 0;
    long elfAddress =
        shifted ? location.address() - mapping.start() + mapping.fileOffset() : location.address();
    List<Frame> frames = new ArrayList<>(location.lines().size());
    for (int i = 0; i < location.lines().size(); i++) {
      int[] line = location.lines().get(i);
      Function function = at(functions, line[0], "function");
      String name = string(function.name());
      boolean inlined = i < location.lines().size() - 1;
      frames.add(
          new Frame(
              name,
              kind,
              inlined,
              true,
              module,
              buildId,
              elfAddress,
              0,
              string(function.file()),
              line[1]));
    }
    if (frames.isEmpty()) {
      String where = module.isEmpty() ? "" : " in " + module.substring(module.lastIndexOf('/') + 1);
      String name = "[unknown%s+0x%x]".formatted(where, elfAddress);
      frames.add(new Frame(name, kind, false, false, module, buildId, elfAddress, 0, "", 0));
    }
    return frames;
  }

  /** From the attribute {@code profile.frame.type}: kernel, native, jvm, cpython, v8js, … */
  private FrameKind kind(int[] indices) {
    return switch (find(indices, "profile.frame.type")) {
      case "kernel" -> FrameKind.KERNEL;
      case "", "native", "go", "rust" -> FrameKind.NATIVE;
      case "jvm", "v8js", "dotnet" -> FrameKind.JIT;
      default -> FrameKind.INTERPRETED;
    };
  }

  private String buildId(int[] indices) {
    return find(indices, "process.executable.build_id.gnu");
  }

  private String find(int[] indices, String key) {
    for (int index : indices) {
      Attribute attribute = attribute(index);
      if (attribute.key().equals(key)) {
        return attribute.value();
      }
    }
    return "";
  }

  /** Collects numbers, clamped to an int. */
  static final class Ints {
    private int[] values = new int[4];
    private int count;

    void add(long value) {
      if (count == values.length) {
        values = java.util.Arrays.copyOf(values, count * 2);
      }
      values[count++] = Math.clamp(value, -1, Integer.MAX_VALUE);
    }

    int[] all() {
      return java.util.Arrays.copyOf(values, count);
    }
  }
}
