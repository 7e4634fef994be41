package dev.plumb.export.pprof;

import static dev.plumb.export.pprof.Pprof.*;

import dev.plumb.export.file.ModuleNames;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of a pprof file, numbered from 1 in the order of first use; strings from 0. */
final class PprofTables {
  private final StackTable stacks;
  private final Map<String, Integer> stringIds = new HashMap<>();
  private final List<String> strings = new ArrayList<>();
  private final Map<Module, Mapping> mappings = new HashMap<>();
  private final List<Mapping> mappingList = new ArrayList<>();
  private final Map<FunctionKey, Integer> functionIds = new HashMap<>();
  private final ProtoOut functions = new ProtoOut();

  /** The location of a frame that has nothing inlined into it; 0 where there is none yet. */
  private final int[] plainLocations;

  /** The locations of frames with others inlined into them, leaf first. */
  private final Map<List<Integer>, Integer> inlinedLocations = new HashMap<>();

  private final ProtoOut locations = new ProtoOut();
  private int locationCount;

  PprofTables(StackTable stacks) {
    this.stacks = stacks;
    this.plainLocations = new int[stacks.frames().size()];
    string("");
    // The first mapping is taken for the main program.
    stacks.frames().stream()
        .filter(frame -> frame.kind() == FrameKind.NATIVE && !frame.module().isEmpty())
        .findFirst()
        .ifPresent(this::mapping);
  }

  private record Module(String name, String buildId) {}

  private record FunctionKey(String name, String file) {}

  /** A module and the range of addresses seen in it. */
  private static final class Mapping {
    final int id;
    final Module module;
    long lowest = -1;
    long highest;
    boolean files;
    boolean lines;
    boolean inlines;

    Mapping(int id, Module module) {
      this.id = id;
      this.module = module;
    }

    void see(Frame frame) {
      files |= !frame.file().isEmpty();
      lines |= frame.line() != 0;
      inlines |= frame.inlined();
      long address = frame.elfAddress();
      lowest = Long.compareUnsigned(address, lowest) < 0 ? address : lowest;
      highest = Long.compareUnsigned(address, highest) > 0 ? address : highest;
    }
  }

  int string(String text) {
    Integer known = stringIds.putIfAbsent(text, strings.size());
    if (known != null) {
      return known;
    }
    strings.add(text);
    return strings.size() - 1;
  }

  /** Puts the location ids of a stack, leaf first. */
  void locations(int stack, ProtoOut packed) {
    int[] frameIds = stacks.frameIds(stack);
    int first = 0;
    for (int i = 0; i < frameIds.length; i++) {
      int frame = frameIds[i];
      if (i == first && plainLocations[frame] != 0) {
        packed.varint(plainLocations[frame]);
        first = i + 1;
      } else if (!stacks.frames().get(frame).inlined() || i == frameIds.length - 1) {
        packed.varint(location(frameIds, first, i));
        first = i + 1;
      }
    }
  }

  /** The location of the frames from {@code first} to {@code last}, which holds the others. */
  private int location(int[] frameIds, int first, int last) {
    int frame = frameIds[first];
    if (first == last && !stacks.frames().get(frame).inlined()) {
      plainLocations[frame] = newLocation(List.of(frame));
      return plainLocations[frame];
    }
    List<Integer> ids = new ArrayList<>(last - first + 1);
    for (int i = first; i <= last; i++) {
      ids.add(frameIds[i]);
    }
    return inlinedLocations.computeIfAbsent(ids, this::newLocation);
  }

  private int newLocation(List<Integer> frameIds) {
    Frame holder = stacks.frames().get(frameIds.getLast());
    ProtoOut location = new ProtoOut();
    location.number(LOCATION_ID, ++locationCount);
    Mapping mapping = mapping(holder);
    if (mapping != null) {
      location.number(LOCATION_MAPPING_ID, mapping.id);
    }
    location.number(LOCATION_ADDRESS, holder.elfAddress());
    for (int id : frameIds) {
      Frame frame = stacks.frames().get(id);
      if (mapping != null) {
        mapping.see(frame);
      }
      ProtoOut line =
          new ProtoOut().number(LINE_FUNCTION_ID, function(frame)).number(LINE_LINE, frame.line());
      location.message(LOCATION_LINE, line);
    }
    locations.message(LOCATION, location);
    return locationCount;
  }

  private int function(Frame frame) {
    // Of an unnamed frame, the location has the address.
    String name = Symbol.of(frame).name();
    FunctionKey key = new FunctionKey(name, frame.file());
    Integer known = functionIds.get(key);
    if (known != null) {
      return known;
    }
    int id = functionIds.size() + 1;
    functionIds.put(key, id);
    ProtoOut function =
        new ProtoOut()
            .number(FUNCTION_ID, id)
            .number(FUNCTION_NAME, string(name))
            .number(FUNCTION_SYSTEM_NAME, string(name))
            .number(FUNCTION_FILENAME, string(frame.file()));
    functions.message(FUNCTION, function);
    return id;
  }

  /** The frame's module, or null if it has none. */
  private Mapping mapping(Frame frame) {
    String name = ModuleNames.text(frame);
    if (name.isEmpty()) {
      return null;
    }
    return mappings.computeIfAbsent(
        new Module(name, frame.buildId()),
        module -> {
          Mapping mapping = new Mapping(mappingList.size() + 1, module);
          mappingList.add(mapping);
          return mapping;
        });
  }

  void writeTo(OutputStream out) throws IOException {
    ProtoOut message = new ProtoOut();
    for (Mapping mapping : mappingList) {
      message.message(MAPPING, encode(mapping));
    }
    message.writeTo(out);
    locations.writeTo(out);
    functions.writeTo(out);
    message.clear();
    for (String text : strings) {
      message.bytes(STRING_TABLE, TextOut.utf8(text));
      if (message.size() > 1 << 16) {
        message.writeTo(out);
        message.clear();
      }
    }
    message.writeTo(out);
  }

  /** User modules start at 0, so that a location's address is the module's own. */
  private ProtoOut encode(Mapping mapping) {
    boolean kernel = mapping.lowest < 0;
    return new ProtoOut()
        .number(MAPPING_ID, mapping.id)
        .number(MAPPING_MEMORY_START, kernel && mapping.highest < 0 ? mapping.lowest : 0)
        .number(MAPPING_MEMORY_LIMIT, mapping.highest == -1 ? -1 : mapping.highest + 1)
        .number(MAPPING_FILENAME, string(mapping.module.name()))
        .number(MAPPING_BUILD_ID, string(mapping.module.buildId()))
        .bool(MAPPING_HAS_FUNCTIONS, true)
        .bool(MAPPING_HAS_FILENAMES, mapping.files)
        .bool(MAPPING_HAS_LINE_NUMBERS, mapping.lines)
        .bool(MAPPING_HAS_INLINE_FRAMES, mapping.inlines);
  }
}
