package dev.plumb.collect.memory;

import dev.plumb.collect.code.CheapPlace;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.elf.SymbolTable;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A file that has an allocator.
 *
 * @param path a path by which it can be opened
 * @param places for each kind of function, the file offsets for probes
 */
public record Allocator(Path path, Map<AllocatorFunction, long[]> places) {
  private static final int ENTRY_BYTES = 32;

  /** The allocator in a file; empty if the file lacks malloc or free. */
  public static Optional<Allocator> in(Path path) {
    try (ElfFile elf = ElfFile.open(path)) {
      return LostPages.guard(path.toString(), () -> read(path, elf));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private static Optional<Allocator> read(Path path, ElfFile elf) {
    if (elf.machine() != ElfFile.EM_X86_64 && elf.machine() != ElfFile.EM_AARCH64) {
      return Optional.empty(); // 32-bit code passes arguments elsewhere
    }
    Map<String, Long> functions = new HashMap<>();
    for (Section section : elf.sections()) {
      if (section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
        add(elf.symbols(section), functions);
      }
    }
    return AllocatorFunction.PREFIXES.stream()
        .filter(p -> functions.containsKey(p + "malloc") && functions.containsKey(p + "free"))
        .findFirst()
        .map(prefix -> new Allocator(path, places(prefix, functions, elf)));
  }

  private static Map<AllocatorFunction, long[]> places(
      String prefix, Map<String, Long> functions, ElfFile elf) {
    Map<AllocatorFunction, long[]> places = new EnumMap<>(AllocatorFunction.class);
    for (AllocatorFunction kind : AllocatorFunction.values()) {
      TreeSet<Long> offsets = new TreeSet<>();
      for (String name : kind.names()) {
        addPlace(kind, prefix + name, functions, elf, offsets);
      }
      // libstdc++ has no malloc of its own: who has both does not come from one to the other.
      for (String name : kind.operators()) {
        addPlace(kind, name, functions, elf, offsets);
      }
      if (kind == AllocatorFunction.NEW) {
        // An allocator may have one function by several names, and this is the careful kind.
        long[] others = places.getOrDefault(AllocatorFunction.MALLOC, new long[0]);
        long[] left = Arrays.stream(others).filter(o -> !offsets.contains(o)).toArray();
        places.put(AllocatorFunction.MALLOC, left);
      }
      if (!offsets.isEmpty()) {
        places.put(kind, offsets.stream().mapToLong(Long::longValue).toArray());
      }
    }
    return places;
  }

  private static void add(SymbolTable table, Map<String, Long> functions) {
    table.forEachDefined(
        (symbol, nameOffset, value, size, type, binding, section) -> {
          if (type == SymbolTable.STT_FUNC && value != 0) {
            String name = table.name(symbol);
            int version = name.indexOf('@');
            String plain = version > 0 ? name.substring(0, version) : name;
            if (AllocatorFunction.isName(plain)) {
              functions.putIfAbsent(plain, value);
            }
          }
        });
  }

  private static void addPlace(
      AllocatorFunction kind,
      String name,
      Map<String, Long> functions,
      ElfFile elf,
      TreeSet<Long> offsets) {
    Long elfAddress = functions.get(name);
    if (elfAddress == null) {
      return;
    }
    // Other ways to free may only jump on to free, which would be seen as freeing twice.
    boolean isOther = kind == AllocatorFunction.FREE && !name.endsWith("free");
    code(elf, elfAddress)
        .filter(code -> !isOther || !CheapPlace.jumpsOn(code))
        .flatMap(code -> place(elf, elfAddress, code))
        .ifPresent(offsets::add);
  }

  /** The first bytes of a function. */
  private static Optional<MemorySegment> code(ElfFile elf, long elfAddress) {
    return segment(elf, elfAddress)
        .map(
            segment -> {
              long into = elfAddress - segment.elfAddress();
              long length = Math.min(ENTRY_BYTES, segment.fileSize() - into);
              return elf.data(segment).asSlice(into, length);
            });
  }

  private static Optional<Long> place(ElfFile elf, long elfAddress, MemorySegment code) {
    int into = elf.machine() == ElfFile.EM_X86_64 ? CheapPlace.of(code) : 0;
    return segment(elf, elfAddress)
        .map(segment -> segment.fileOffset() + elfAddress - segment.elfAddress() + into);
  }

  private static Optional<Segment> segment(ElfFile elf, long elfAddress) {
    for (Segment segment : elf.segments()) {
      long into = elfAddress - segment.elfAddress();
      if (segment.type() == Segment.PT_LOAD
          && into >= 0
          && Long.compareUnsigned(into, segment.fileSize()) < 0) {
        return Optional.of(segment);
      }
    }
    return Optional.empty();
  }
}
