package dev.plumb.bpf.object;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads what the instructions and the maps of an object file refer to. */
final class ObjectRelocations {
  /** Elf64_Rel: r_offset, r_info (symbol in the upper half). */
  private static final int ENTRY_SIZE = 16;

  private final ElfFile elf;
  private final SymbolTable symbols;
  private final ObjectReader object;

  ObjectRelocations(ElfFile elf, SymbolTable symbols, ObjectReader object) {
    this.elf = elf;
    this.symbols = symbols;
    this.object = object;
  }

  void read() {
    for (int i = 0; i < symbols.size(); i++) {
      String name = symbols.section(i) == SymbolTable.SHN_UNDEF ? symbols.name(i) : "";
      if (!name.isEmpty() && symbols.binding(i) == SymbolTable.STB_WEAK) {
        object.externs.use(name, true);
      }
    }
    for (Section section : elf.sections()) {
      if (section.type() == Section.SHT_REL) {
        section(section);
      }
    }
    for (List<Function> functions : object.functions.values()) {
      for (Function function : functions) {
        addLocalCalls(function);
        function.relocations().sort(Comparator.comparingInt(Relocation::at));
      }
    }
  }

  private void section(Section section) {
    int target = section.info();
    boolean code = object.functions.containsKey(target);
    boolean maps = target == object.mapsSection;
    MapSpec data = object.dataSections.get(target);
    MemorySegment entries = elf.data(section);
    for (long at = 0; at + ENTRY_SIZE <= entries.byteSize(); at += ENTRY_SIZE) {
      long offset = entries.get(ObjectReader.LONG, at);
      int symbol = (int) (entries.get(ObjectReader.LONG, at + 8) >>> 32);
      if (data != null) {
        throw new BpfException(
            data.name() + " holds a pointer at " + offset + ", which a BPF object cannot have");
      }
      if (code || maps) {
        if (symbol < 0 || symbol >= symbols.size()) {
          throw new BpfException(section.name() + " refers to the missing symbol " + symbol);
        }
        if (code) {
          instruction(target, offset, symbol);
        } else {
          slot(offset, symbol);
        }
      }
    }
  }

  private void instruction(int section, long offset, int symbol) {
    Function function = object.at(section, offset);
    int at = (int) (offset / 8) - function.start();
    long insn = function.instructions()[at];
    boolean undefined = symbols.section(symbol) == SymbolTable.SHN_UNDEF;
    if (Instruction.isFunctionCall(insn)) {
      function
          .relocations()
          .add(
              undefined
                  ? new Relocation.OfKernelCall(at, extern(symbol))
                  : new Relocation.OfCall(at, callee(symbol, insn)));
    } else if (Instruction.isWideLoad(insn) && at + 1 < function.size()) {
      function
          .relocations()
          .add(
              undefined
                  ? new Relocation.OfExtern(at, extern(symbol))
                  : load(at, symbol, Instruction.immediate(insn)));
    } else {
      throw new BpfException(
          "function "
              + function
              + ": instruction "
              + at
              + " cannot refer to "
              + symbols.name(symbol));
    }
  }

  private Extern extern(int symbol) {
    return object.externs.use(
        symbols.name(symbol), symbols.binding(symbol) == SymbolTable.STB_WEAK);
  }

  /** Of a global function the immediate is -1, of a static one it counts from the section. */
  private Function callee(int symbol, long insn) {
    return start(
        symbols.section(symbol), symbols.value(symbol) + 8L * (Instruction.immediate(insn) + 1L));
  }

  private Function start(int section, long byteOffset) {
    Function function = object.at(section, byteOffset);
    if (function.start() * 8L != byteOffset) {
      throw new BpfException("a call goes into the middle of function " + function);
    }
    return function;
  }

  private Relocation load(int at, int symbol, int addend) {
    int section = symbols.section(symbol);
    long offset = symbols.value(symbol) + addend;
    if (section == object.mapsSection) {
      MapSpec map = object.mapsByOffset.get(offset);
      if (map == null) {
        throw new BpfException("no map is at offset " + offset + " of .maps");
      }
      return new Relocation.OfMap(at, map);
    }
    MapSpec data = object.dataSections.get(section);
    if (data != null) {
      return new Relocation.OfData(at, data, (int) offset);
    }
    if (object.functions.containsKey(section)) {
      return new Relocation.OfFunctionPointer(at, start(section, offset));
    }
    throw new BpfException(
        "nothing can be loaded from the section of symbol " + symbols.name(symbol));
  }

  /** A map or program that stands in another map from the start. */
  private void slot(long offset, int symbol) {
    MapSpec holder = null;
    long holderOffset = -1;
    for (var entry : object.mapsByOffset.entrySet()) {
      if (entry.getKey() <= offset && entry.getKey() > holderOffset) {
        holderOffset = entry.getKey();
        holder = entry.getValue();
      }
    }
    if (holder == null) {
      throw new BpfException("no map is at offset " + offset + " of .maps");
    }
    String name = symbols.name(symbol);
    boolean fits =
        MapType.isMapOfMaps(holder.type())
            ? symbols.section(symbol) == object.mapsSection && object.maps.containsKey(name)
            : symbols.type(symbol) == SymbolTable.STT_FUNC;
    if (!fits) {
      throw new BpfException(holder + " cannot hold " + name);
    }
    holder.slots().put(object.definitions.slot(holder, offset), name);
  }

  /** Calls within a section need no relocation: clang knew the distance. */
  private void addLocalCalls(Function function) {
    Set<Integer> known = new HashSet<>();
    function.relocations().forEach(relocation -> known.add(relocation.at()));
    long[] code = function.instructions();
    for (int i = 0; i < code.length; i++) {
      if (Instruction.isWideLoad(code[i])) {
        i++;
      } else if (Instruction.isFunctionCall(code[i]) && !known.contains(i)) {
        long target = function.start() + i + 1L + Instruction.immediate(code[i]);
        function.relocations().add(new Relocation.OfCall(i, start(function.section(), target * 8)));
      }
    }
  }
}
