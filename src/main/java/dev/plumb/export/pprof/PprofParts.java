package dev.plumb.export.pprof;

import static dev.plumb.export.pprof.Pprof.*;

import dev.plumb.export.file.ModuleNames;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A pprof file taken apart: its tables, and where its samples lie. */
final class PprofParts {
  private final List<String> strings = new ArrayList<>();
  private final List<ProtoIn.Span> samples = new ArrayList<>();
  private final List<Type> types = new ArrayList<>();
  private final List<Long> comments = new ArrayList<>();
  private final Map<Long, Mapping> mappings = new LinkedHashMap<>();
  private final Map<Long, Location> locations = new HashMap<>();
  private final Map<Long, Function> functions = new HashMap<>();
  private String program = "";
  private Type periodType = new Type(0, 0);
  private long period;
  private long timeNanos;
  private long durationNanos;
  private long defaultType;

  private record Type(long name, long unit) {}

  private record Mapping(long start, long fileOffset, long file, long buildId) {}

  private record Location(long mapping, long address, List<Line> lines) {}

  private record Line(long function, long line) {}

  private record Function(long name, long file) {}

  PprofParts(byte[] bytes) {
    ProtoIn in = new ProtoIn(bytes, 0, bytes.length);
    while (in.next()) {
      switch (in.field()) {
        case SAMPLE_TYPE -> types.add(type(in.message()));
        case SAMPLE -> samples.add(in.span());
        case MAPPING -> mapping(in.message());
        case LOCATION -> location(in.message());
        case FUNCTION -> function(in.message());
        case STRING_TABLE -> strings.add(in.string());
        case TIME_NANOS -> timeNanos = in.number();
        case DURATION_NANOS -> durationNanos = in.number();
        case PERIOD_TYPE -> periodType = type(in.message());
        case PERIOD -> period = in.number();
        case COMMENT -> in.numbers(comments::add);
        case DEFAULT_SAMPLE_TYPE -> defaultType = in.number();
        default -> {}
      }
    }
    if (types.size() > PprofReader.MAX_TYPES) {
      throw new FormatException("damaged pprof file: %d types of values".formatted(types.size()));
    }
    mappings.values().stream()
        .map(mapping -> string(mapping.file()))
        .filter(file -> !file.isEmpty() && !file.startsWith("["))
        .findFirst()
        .ifPresent(file -> program = file.substring(file.lastIndexOf('/') + 1));
  }

  private static Type type(ProtoIn in) {
    long name = 0;
    long unit = 0;
    while (in.next()) {
      switch (in.field()) {
        case VALUE_TYPE_TYPE -> name = in.number();
        case VALUE_TYPE_UNIT -> unit = in.number();
        default -> {}
      }
    }
    return new Type(name, unit);
  }

  private void mapping(ProtoIn in) {
    long id = 0;
    long start = 0;
    long fileOffset = 0;
    long file = 0;
    long buildId = 0;
    while (in.next()) {
      switch (in.field()) {
        case MAPPING_ID -> id = in.number();
        case MAPPING_MEMORY_START -> start = in.number();
        case MAPPING_FILE_OFFSET -> fileOffset = in.number();
        case MAPPING_FILENAME -> file = in.number();
        case MAPPING_BUILD_ID -> buildId = in.number();
        default -> {}
      }
    }
    mappings.put(id, new Mapping(start, fileOffset, file, buildId));
  }

  private void location(ProtoIn in) {
    long id = 0;
    long mapping = 0;
    long address = 0;
    List<Line> lines = new ArrayList<>(1);
    while (in.next()) {
      switch (in.field()) {
        case LOCATION_ID -> id = in.number();
        case LOCATION_MAPPING_ID -> mapping = in.number();
        case LOCATION_ADDRESS -> address = in.number();
        case LOCATION_LINE -> lines.add(line(in.message()));
        default -> {}
      }
    }
    locations.put(id, new Location(mapping, address, lines));
  }

  private static Line line(ProtoIn in) {
    long function = 0;
    long line = 0;
    while (in.next()) {
      switch (in.field()) {
        case LINE_FUNCTION_ID -> function = in.number();
        case LINE_LINE -> line = in.number();
        default -> {}
      }
    }
    return new Line(function, line);
  }

  private void function(ProtoIn in) {
    long id = 0;
    long name = 0;
    long systemName = 0;
    long file = 0;
    while (in.next()) {
      switch (in.field()) {
        case FUNCTION_ID -> id = in.number();
        case FUNCTION_NAME -> name = in.number();
        case FUNCTION_SYSTEM_NAME -> systemName = in.number();
        case FUNCTION_FILENAME -> file = in.number();
        default -> {}
      }
    }
    functions.put(id, new Function(name == 0 ? systemName : name, file));
  }

  String string(long index) {
    if (index == 0 && strings.isEmpty()) {
      return "";
    }
    if (index < 0 || index >= strings.size()) {
      throw new FormatException(
          "damaged pprof file: string %d of %d".formatted(index, strings.size()));
    }
    return strings.get((int) index);
  }

  /** The main program's name, for samples that do not name their process. */
  String program() {
    return program.isEmpty() ? "process" : program;
  }

  List<ProtoIn.Span> samples() {
    return samples;
  }

  List<ValueType> types() {
    return types.stream().map(this::valueType).toList();
  }

  /** The type to show: the one the file names, else the last, as pprof does. */
  int defaultType() {
    for (int i = 0; i < types.size(); i++) {
      if (defaultType != 0 && types.get(i).name() == defaultType) {
        return i;
      }
    }
    return types.size() - 1;
  }

  ValueType periodType() {
    return valueType(periodType);
  }

  long period() {
    return Math.max(0, period);
  }

  long timeNanos() {
    return timeNanos;
  }

  long durationNanos() {
    return Math.max(0, durationNanos);
  }

  List<String> comments() {
    return comments.stream().map(this::string).toList();
  }

  private ValueType valueType(Type type) {
    return new ValueType(string(type.name()), string(type.unit()));
  }

  /** A location's frames, the innermost first; all but the last are inlined. */
  List<Frame> frames(long id) {
    Location location = locations.get(id);
    if (location == null) {
      throw new FormatException("damaged pprof file: no location %d".formatted(id));
    }
    Mapping mapping = mappings.getOrDefault(location.mapping(), new Mapping(0, 0, 0, 0));
    String module = string(mapping.file());
    FrameKind kind = ModuleNames.kind(module);
    boolean shifted =
        kind != FrameKind.KERNEL && Long.compareUnsigned(location.address(), mapping.start()) >= 0;
    long elfAddress =
        shifted ? location.address() - mapping.start() + mapping.fileOffset() : location.address();
    String buildId = string(mapping.buildId());
    List<Frame> frames = new ArrayList<>(location.lines().size());
    for (int i = 0; i < location.lines().size(); i++) {
      Line line = location.lines().get(i);
      Function function = functions.get(line.function());
      if (function == null) {
        throw new FormatException("damaged pprof file: no function %d".formatted(line.function()));
      }
      String name = string(function.name());
      boolean inlined = i < location.lines().size() - 1;
      boolean named = !name.startsWith("[unknown");
      int number = line.line() < 0 || line.line() > Integer.MAX_VALUE ? 0 : (int) line.line();
      frames.add(
          new Frame(
              name,
              kind,
              inlined,
              named,
              ModuleNames.name(module),
              buildId,
              elfAddress,
              0,
              string(function.file()),
              number));
    }
    if (frames.isEmpty()) {
      frames.add(unknown(ModuleNames.name(module), kind, buildId, elfAddress));
    }
    return frames;
  }

  private static Frame unknown(String module, FrameKind kind, String buildId, long elfAddress) {
    String where = module.isEmpty() ? "" : " in " + module.substring(module.lastIndexOf('/') + 1);
    String name = "[unknown%s+0x%x]".formatted(where, elfAddress);
    return new Frame(name, kind, false, false, module, buildId, elfAddress, 0, "", 0);
  }
}
