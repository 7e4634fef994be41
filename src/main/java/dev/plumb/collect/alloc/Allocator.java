package dev.plumb.collect.alloc;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.elf.SymbolTable;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A file that has an allocator.
 *
 * @param path by which it can be opened
 * @param places for each kind of function, where in the file probes go
 */
public record Allocator(Path path, Map<AllocatorFunction, long[]> places) {
  private static final int ENTRY_BYTES = 32;

  /** What a file has; empty if that is no allocator: it takes a malloc and a free. */
  public static Optional<Allocator> in(Path path) {
    try (ElfFile elf = ElfFile.open(path)) {
      return LostPages.guard(path.toString(), () -> read(path, elf));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private static Optional<Allocator> read(Path path, ElfFile elf) {
    Map<String, Long> functions = new HashMap<>();
    for (Section section : elf.sections()) {
      if (section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
        add(elf.symbols(section), functions);
      }
    }
    if (!functions.containsKey("malloc") || !functions.containsKey("free")) {
      return Optional.empty();
    }
    // libstdc++ has no malloc of its own: who has both does not come from one to the other.
    Map<AllocatorFunction, long[]> places = new EnumMap<>(AllocatorFunction.class);
    for (AllocatorFunction kind : AllocatorFunction.values()) {
      TreeSet<Long> offsets = new TreeSet<>();
      addPlaces(kind.names(), functions, elf, offsets);
      addPlaces(kind.operators(), functions, elf, offsets);
      if (!offsets.isEmpty()) {
        places.put(kind, offsets.stream().mapToLong(Long::longValue).toArray());
      }
    }
    return Optional.of(new Allocator(path, places));
  }

  private static void add(SymbolTable table, Map<String, Long> functions) {
    table.forEachDefined(
        (symbol, nameOffset, value, size, type, binding, section) -> {
          if (type == SymbolTable.STT_FUNC && value != 0) {
            String name = table.name(symbol);
            int version = name.indexOf('@');
            functions.putIfAbsent(version > 0 ? name.substring(0, version) : name, value);
          }
        });
  }

  private static void addPlaces(
      List<String> names, Map<String, Long> functions, ElfFile elf, TreeSet<Long> offsets) {
    for (String name : names) {
      Long address = functions.get(name);
      if (address != null) {
        place(elf, address).ifPresent(offsets::add);
      }
    }
  }

  private static Optional<Long> place(ElfFile elf, long elfAddress) {
    for (Segment segment : elf.segments()) {
      long into = elfAddress - segment.elfAddress();
      if (segment.type() == Segment.PT_LOAD
          && into >= 0
          && Long.compareUnsigned(into, segment.fileSize()) < 0) {
        long fileOffset = segment.fileOffset() + into;
        long length = Math.min(ENTRY_BYTES, segment.fileSize() - into);
        MemorySegment code = elf.data(segment).asSlice(into, length);
        boolean known = elf.machine() == ElfFile.EM_X86_64;
        return Optional.of(fileOffset + (known ? CheapPlace.of(code) : 0));
      }
    }
    return Optional.empty();
  }
}
