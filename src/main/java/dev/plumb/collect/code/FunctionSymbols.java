package dev.plumb.collect.code;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.DebugFiles;
import dev.plumb.symbols.debugfile.MiniDebugInfo;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The function symbols of a file, its own and those of its debug file, one after the other: large
 * programs have a million, which are not kept.
 */
public final class FunctionSymbols implements AutoCloseable {
  /** Takes a function. */
  public interface Visitor {
    /**
     * @param indirect whether it only picks the function that is called then
     */
    void function(String name, long elfAddress, long size, boolean indirect);
  }

  private final ElfFile elf;
  private final List<ElfFile> sources = new ArrayList<>();
  private final Arena arena = Arena.ofConfined();

  /**
   * Addresses of functions that select an implementation (IFUNC); .symtab may list them under other
   * names, too.
   */
  private final Set<Long> picking = new HashSet<>();

  public FunctionSymbols(Library library) {
    this.elf = ElfFile.open(library.path());
    sources.add(elf);
    try {
      addDebugFiles(library);
      forEachRaw(
          (name, elfAddress, size, indirect) -> {
            if (indirect) {
              picking.add(elfAddress);
            }
          });
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** The file itself. */
  public ElfFile elf() {
    return elf;
  }

  private void addDebugFiles(Library library) {
    if (elf.sections().stream().anyMatch(section -> section.type() == Section.SHT_SYMTAB)) {
      return;
    }
    try {
      MiniDebugInfo.read(elf, arena)
          .ifPresent(image -> sources.add(ElfFile.of(image, library.name())));
    } catch (ElfException e) {
      // damaged; then there are only the exported functions
    }
    Optional<DebugFiles> debugFiles = DebugFiles.ofHost();
    try {
      Optional<DebugFile> debug = debugFiles.flatMap(d -> d.find(elf, library.name()));
      if (debug.isPresent()) {
        try (DebugFile file = debug.get()) {
          sources.add(file.open());
        }
      }
    } catch (ElfException e) {
      // as above
    } finally {
      debugFiles.ifPresent(DebugFiles::close);
    }
  }

  /** Visits all functions; a name may occur more than once. */
  public void forEach(Visitor visitor) {
    forEachRaw(
        (name, elfAddress, size, indirect) ->
            visitor.function(name, elfAddress, size, indirect || picking.contains(elfAddress)));
  }

  private void forEachRaw(Visitor visitor) {
    for (ElfFile source : sources) {
      try {
        for (Section section : source.sections()) {
          if (section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
            forEach(source.symbols(section), visitor);
          }
        }
      } catch (ElfException e) {
        // What was read so far is what there is.
      }
    }
  }

  private static void forEach(SymbolTable table, Visitor visitor) {
    table.forEachDefined(
        (symbol, nameOffset, value, size, type, binding, section) -> {
          boolean indirect = type == SymbolTable.STT_GNU_IFUNC;
          if (value != 0 && (type == SymbolTable.STT_FUNC || indirect)) {
            String name = unversioned(table.name(symbol));
            if (!name.isEmpty()) {
              visitor.function(name, value, size, indirect);
            }
          }
        });
  }

  /** In .symtab, {@code memcpy@@GLIBC_2.14} is the default version. */
  private static String unversioned(String name) {
    int at = name.indexOf('@');
    return at > 0 ? name.substring(0, at) : name;
  }

  @Override
  public void close() {
    sources.forEach(ElfFile::close);
    arena.close();
  }
}
