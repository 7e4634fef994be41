package dev.plumb.symbols;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.FileIdentity;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.MiniDebugInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The ELF file that has the {@code .symtab} of a stripped file: its debug file, else the compressed
 * one inside the file itself ({@link MiniDebugInfo}).
 */
final class SymbolFile implements AutoCloseable {
  private final ElfFile elf;
  private final Optional<DebugFile> file;
  private final Optional<Arena> memory;

  private SymbolFile(ElfFile elf, Optional<DebugFile> file, Optional<Arena> memory) {
    this.elf = elf;
    this.file = file;
    this.memory = memory;
  }

  /** Empty if there is none, or the file has its symbols itself. */
  static Optional<SymbolFile> of(ElfFile elf, DebugFileResolver debugFiles) {
    try {
      if (FunctionTableBuilder.hasSymbols(elf)) {
        return Optional.empty();
      }
      Optional<SymbolFile> found = debugFiles.debugFile(elf).flatMap(file -> ofFile(file, elf));
      return found.isPresent() ? found : packed(elf);
    } catch (ElfException | OutOfMemoryError e) {
      return Optional.empty();
    }
  }

  private static Optional<SymbolFile> ofFile(DebugFile file, ElfFile stripped) {
    try {
      ElfFile elf = file.open();
      if (fits(elf, stripped)) {
        return Optional.of(new SymbolFile(elf, Optional.of(file), Optional.empty()));
      }
      elf.close();
    } catch (ElfException e) {
      // A broken debug file does not make the file itself broken; there are just no symbols.
    }
    file.close();
    return Optional.empty();
  }

  private static Optional<SymbolFile> packed(ElfFile stripped) {
    Arena arena = Arena.ofShared();
    try {
      Optional<MemorySegment> image = MiniDebugInfo.read(stripped, arena);
      if (image.isPresent()) {
        ElfFile elf = ElfFile.of(image.get(), stripped.name() + ", .gnu_debugdata");
        if (fits(elf, stripped)) {
          return Optional.of(new SymbolFile(elf, Optional.empty(), Optional.of(arena)));
        }
      }
      arena.close();
      return Optional.empty();
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private static boolean fits(ElfFile elf, ElfFile stripped) {
    return elf.machine() == stripped.machine()
        && elf.is64() == stripped.is64()
        && elf.order() == stripped.order()
        && FunctionTableBuilder.hasSymbols(elf);
  }

  ElfFile elf() {
    return elf;
  }

  /** The path to map parts of it; empty if it is in memory. */
  Optional<Path> readable() {
    return file.map(DebugFile::readable);
  }

  /** Which file it is; empty if it is in memory. */
  Optional<FileIdentity> identity() {
    return file.map(DebugFile::identity);
  }

  @Override
  public void close() {
    elf.close();
    file.ifPresent(DebugFile::close);
    memory.ifPresent(Arena::close);
  }
}
