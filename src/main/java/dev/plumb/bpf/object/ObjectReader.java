package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfExt;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.BtfWriter;
import dev.plumb.bpf.btf.CoreRelocation;
import dev.plumb.bpf.btf.ObjectTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes an object file of clang's apart: data, maps, externs, functions, relocations. */
public final class ObjectReader {
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int VISIBILITY_DEFAULT = 0;
  private static final int LINKAGE_STATIC = 0;

  /** No BPF program's data comes near; what claims more is not a BPF object. */
  private static final long MAX_DATA = 64 << 20;

  private final ElfFile elf;
  private final SymbolTable symbols;
  private final Btf btf;
  private final BtfExt ext;

  /** Data sections and {@code .maps} by section number. */
  final Map<Integer, MapSpec> dataSections = new HashMap<>();

  final Map<Long, MapSpec> mapsByOffset = new HashMap<>();
  final Map<String, MapSpec> maps = new LinkedHashMap<>();
  final Map<String, VariableSpec> variables = new LinkedHashMap<>();
  final Map<Integer, List<Function>> functions = new LinkedHashMap<>();
  final MapDefinitions definitions;
  final Externs externs;
  int mapsSection = -1;

  private ObjectReader(ElfFile elf) {
    this.elf = elf;
    if (elf.machine() != ElfFile.EM_BPF
        || elf.type() != ElfFile.ET_REL
        || !elf.is64()
        || elf.order() != ByteOrder.LITTLE_ENDIAN) {
      throw new BpfException(elf.name() + " is not a little-endian BPF object");
    }
    this.symbols =
        elf.sections().stream()
            .filter(section -> section.type() == Section.SHT_SYMTAB)
            .findFirst()
            .map(elf::symbols)
            .orElseThrow(() -> new BpfException(elf.name() + " has no symbols"));
    this.btf =
        elf.section(".BTF")
            .map(section -> Btf.of(elf.data(section)))
            .orElseThrow(() -> new BpfException(elf.name() + " has no BTF; compile it with -g"));
    this.ext =
        elf.section(".BTF.ext")
            .map(section -> BtfExt.of(elf.data(section), btf))
            .orElseGet(BtfExt::none);
    this.definitions = new MapDefinitions(btf);
    this.externs = new Externs(btf);
  }

  static CollectionSpec read(ElfFile elf) {
    ObjectReader reader = new ObjectReader(elf);
    Map<String, Integer> places = new HashMap<>();
    Map<String, Integer> sizes = new HashMap<>();
    Set<String> hidden = new HashSet<>();
    reader.places(places, hidden);
    for (Section section : elf.sections()) {
      sizes.put(section.name(), (int) Math.min(section.size(), MAX_DATA));
      reader.section(section);
    }
    reader.readVariables(places);
    reader.externs.read();
    reader.readFunctions();
    new ObjectRelocations(elf, reader.symbols, reader).read();
    int configSize = reader.externs.configPlaces(places);
    if (configSize > 0) {
      sizes.put(Externs.KCONFIG, configSize);
    }
    BtfWriter kernelTypes = ObjectTypes.forKernel(reader.btf, sizes, places, hidden);
    return new CollectionSpec(
        reader.btf,
        kernelTypes,
        reader.maps,
        reader.programs(),
        reader.variables,
        reader.externs.all(),
        reader.license(),
        reader.version());
  }

  private void places(Map<String, Integer> places, Set<String> hidden) {
    for (int i = 0; i < symbols.size(); i++) {
      if (symbols.section(i) == SymbolTable.SHN_UNDEF) {
        continue;
      }
      if (symbols.type(i) == SymbolTable.STT_OBJECT
          && symbols.binding(i) != SymbolTable.STB_LOCAL) {
        places.put(symbols.name(i), checkedInt(symbols.value(i), "symbol", i));
      } else if (symbols.type(i) == SymbolTable.STT_FUNC
          && symbols.visibility(i) != VISIBILITY_DEFAULT) {
        hidden.add(symbols.name(i));
      }
    }
  }

  private void section(Section section) {
    String name = section.name();
    if (name.equals("maps")) {
      throw new BpfException("SEC(\"maps\") is the old way to define maps; use SEC(\".maps\")");
    }
    if (name.startsWith(".struct_ops")) {
      throw new BpfException("struct_ops are not something that Plumb loads");
    }
    if (name.equals(".maps")) {
      mapsSection = section.index();
      return;
    }
    boolean readOnly = isSection(name, ".rodata");
    boolean known = readOnly || isSection(name, ".data") || isSection(name, ".bss");
    boolean data = section.type() == Section.SHT_PROGBITS || section.type() == Section.SHT_NOBITS;
    if (!known || !data || section.size() == 0) {
      return;
    }
    if (section.size() < 0 || section.size() > MAX_DATA) {
      throw new BpfException(name + " has " + section.size() + " bytes");
    }
    byte[] contents =
        section.type() == Section.SHT_NOBITS
            ? new byte[(int) section.size()]
            : elf.data(section).toArray(ValueLayout.JAVA_BYTE);
    if (maps.containsKey(name)) {
      throw new BpfException("two sections " + name);
    }
    MapSpec spec = dataMap(name, contents, readOnly);
    spec.types(0, Math.max(0, btf.find(name, BtfKind.DATASEC)));
    dataSections.put(section.index(), spec);
    maps.put(name, spec);
  }

  /** An array of one value, which is the section. */
  public static MapSpec dataMap(String name, byte[] contents, boolean readOnly) {
    return new MapSpec(name)
        .type(MapType.ARRAY)
        .keySize(4)
        .valueSize(contents.length)
        .maxEntries(1)
        .flags(MapSpec.F_MMAPABLE | (readOnly ? MapSpec.F_RDONLY_PROG : 0))
        .contents(contents, readOnly);
  }

  private static boolean isSection(String name, String kind) {
    return name.equals(kind) || name.startsWith(kind + ".");
  }

  private void readVariables(Map<String, Integer> places) {
    for (int id = 1; id < btf.count(); id++) {
      if (btf.kind(id) != BtfKind.DATASEC) {
        continue;
      }
      String name = btf.name(id);
      MapSpec section = maps.get(name);
      boolean ofMaps = name.equals(".maps");
      if (section == null && !ofMaps) {
        continue;
      }
      for (int i = 0; i < btf.length(id); i++) {
        int variable = btf.sectionVariable(id, i);
        if (btf.kind(variable) != BtfKind.VAR) {
          throw new BpfException(name + " holds " + btf.describe(variable) + ", not a variable");
        }
        boolean isStatic = btf.linkage(variable) == LINKAGE_STATIC;
        String variableName = btf.name(variable);
        int offset =
            isStatic
                ? btf.sectionOffset(id, i)
                : places.getOrDefault(variableName, btf.sectionOffset(id, i));
        if (ofMaps) {
          map(variableName, variable, offset);
        } else {
          variable(section, variableName, variable, offset, isStatic);
        }
      }
    }
  }

  private void map(String name, int variable, int offset) {
    MapSpec spec = definitions.read(name, variable, offset);
    if (mapsByOffset.put((long) offset, spec) != null || maps.put(name, spec) != null) {
      throw new BpfException("two maps " + name);
    }
  }

  private void variable(MapSpec section, String name, int variable, int offset, boolean isStatic) {
    long size = btf.sizeOf(variable);
    if (offset < 0 || offset + size > section.valueSize()) {
      throw new BpfException("variable " + name + " is outside " + section.name());
    }
    VariableSpec spec =
        new VariableSpec(name, section, offset, (int) size, btf.target(variable), btf);
    if (isStatic) {
      // Functions may have static variables of the same name; a global one goes before them.
      variables.putIfAbsent(name, spec);
    } else {
      variables.put(name, spec);
    }
  }

  private void readFunctions() {
    for (int i = 0; i < symbols.size(); i++) {
      int index = symbols.section(i);
      if (symbols.type(i) != SymbolTable.STT_FUNC
          || symbols.isReservedSection(i)
          || index <= SymbolTable.SHN_UNDEF
          || index >= elf.sections().size()) {
        continue;
      }
      Section section = elf.sections().get(index);
      if ((section.flags() & Section.SHF_EXECINSTR) != 0) {
        functions
            .computeIfAbsent(index, s -> new ArrayList<>())
            .add(function(symbols.name(i), section, symbols.value(i), symbols.size(i)));
        if (!section.name().equals(".text") && symbols.binding(i) == SymbolTable.STB_LOCAL) {
          throw new BpfException(
              "function " + symbols.name(i) + " in " + section.name() + " must not be static");
        }
      }
    }
    functions.values().forEach(list -> list.sort(Comparator.comparingInt(Function::start)));
    for (Map.Entry<Integer, List<Function>> entry : functions.entrySet()) {
      String name = elf.sections().get(entry.getKey()).name();
      checkDisjoint(entry.getValue());
      for (BtfExt.FuncInfo info : ext.functions(name)) {
        at(entry.getKey(), info.byteOffset()).functionInfo().add(info);
      }
      for (BtfExt.LineInfo info : ext.lines(name)) {
        at(entry.getKey(), info.byteOffset()).lineInfo().add(info);
      }
      for (CoreRelocation relocation : ext.relocations(name)) {
        at(entry.getKey(), relocation.byteOffset()).coreRelocations().add(relocation);
      }
    }
  }

  private static void checkDisjoint(List<Function> sorted) {
    for (int i = 1; i < sorted.size(); i++) {
      if (sorted.get(i - 1).contains(sorted.get(i).start())) {
        throw new BpfException(
            "functions " + sorted.get(i - 1) + " and " + sorted.get(i) + " overlap");
      }
    }
  }

  private Function function(String name, Section section, long value, long size) {
    MemorySegment code = elf.data(section);
    if (value % 8 != 0
        || size % 8 != 0
        || size <= 0
        || value < 0
        || value > code.byteSize() - size) {
      throw new BpfException("function " + name + " is not inside " + section.name());
    }
    long[] instructions = code.asSlice(value, size).toArray(LONG);
    return new Function(name, section.index(), section.name(), (int) (value / 8), instructions);
  }

  /** The function that has the instruction at an offset of a section. */
  Function at(int section, long byteOffset) {
    List<Function> candidates = functions.getOrDefault(section, List.of());
    if (byteOffset % 8 == 0) {
      int low = 0;
      int high = candidates.size() - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        Function function = candidates.get(middle);
        if (function.contains(byteOffset / 8)) {
          return function;
        }
        if (function.start() > byteOffset / 8) {
          high = middle - 1;
        } else {
          low = middle + 1;
        }
      }
    }
    throw new BpfException(
        "no function has the instruction at byte " + byteOffset + " of section " + section);
  }

  private Map<String, ProgramSpec> programs() {
    Map<String, ProgramSpec> programs = new LinkedHashMap<>();
    for (List<Function> list : functions.values()) {
      for (Function function : list) {
        if (!function.sectionName().equals(".text")
            && programs.put(
                    function.name(),
                    new ProgramSpec(function.name(), function.sectionName(), function))
                != null) {
          throw new BpfException("two programs " + function.name());
        }
      }
    }
    return programs;
  }

  private String license() {
    return elf.section("license")
        .map(
            section ->
                new String(
                    elf.data(section).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8))
        .map(text -> text.indexOf('\0') < 0 ? text : text.substring(0, text.indexOf('\0')))
        .orElse("");
  }

  private int version() {
    return elf.section("version")
        .map(elf::data)
        .filter(data -> data.byteSize() >= 4)
        .map(data -> data.get(INT, 0))
        .orElse(0);
  }

  static int checkedInt(long value, String what, int index) {
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new BpfException(what + " " + index + ": " + value + " is out of range");
    }
    return (int) value;
  }
}
