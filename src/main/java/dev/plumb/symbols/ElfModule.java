package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.linux.FileIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What Plumb keeps about a mapped file: how it is loaded, its build id, its functions. Only the
 * file's string tables stay mapped, so that the symbol tables, read once, do not stay resident.
 *
 * @param problem why it has no functions
 * @param message details of the problem, or empty
 * @param names owns the mapped string tables
 * @param sources finds inlined functions and lines
 * @param plt names the entries that lead to functions in other files
 */
record ElfModule(
    String name,
    String buildId,
    LoadMap loads,
    FunctionTable functions,
    Optional<UnnamedReason> problem,
    String message,
    Optional<Arena> names,
    SourceFrames sources,
    PltNames plt)
    implements AutoCloseable {
  /** The memory of a module besides its functions; also limits the number of modules kept. */
  private static final long OVERHEAD = 4096;

  /**
   * Never fails: what cannot be read is missing, and {@link #problem} says why.
   *
   * @param debugFiles finds what belongs to the file
   */
  static ElfModule read(Path path, int maxFunctions, DebugFileResolver debugFiles) {
    String seenPath = debugFiles.seenPath();
    String name = seenPath.substring(seenPath.lastIndexOf('/') + 1);
    try (ElfFile elf = ElfFile.open(path)) {
      LoadMap loads = LoadMap.of(elf);
      Optional<SymbolFile> symbols = SymbolFile.of(elf, debugFiles);
      if (symbols.isPresent()) {
        try (SymbolFile separate = symbols.get()) {
          ElfModule module =
              read(
                  elf,
                  separate.elf(),
                  name,
                  loads,
                  maxFunctions,
                  Optional.of(new Names(path, symbols, debugFiles)));
          if (module.problem().isEmpty()) {
            return module.with(SourceFrames.of(path, debugFiles), PltNames.of(elf, path));
          }
          module.close();
        }
      }
      return read(
              elf,
              elf,
              name,
              loads,
              maxFunctions,
              Optional.of(new Names(path, Optional.empty(), debugFiles)))
          .with(SourceFrames.of(path, debugFiles), PltNames.of(elf, path));
    } catch (ElfException | OutOfMemoryError e) {
      return without(name, "", LoadMap.EMPTY, UnnamedReason.BROKEN, e);
    }
  }

  /** Reads an image in memory, which must outlive the module. */
  static ElfModule read(MemorySegment image, String name, int maxFunctions) {
    try (ElfFile elf = ElfFile.of(image, name)) {
      return read(elf, elf, name, LoadMap.of(elf), maxFunctions, Optional.empty());
    } catch (ElfException | OutOfMemoryError e) {
      return without(name, "", LoadMap.EMPTY, UnnamedReason.BROKEN, e);
    }
  }

  /** Where the names of a symbol table are, so that they stay mapped when the file is closed. */
  private record Names(Path path, Optional<SymbolFile> separate, DebugFileResolver debugFiles) {
    /** Where the functions are saved; empty if the symbols are in memory only. */
    Optional<SavedFunctions> index(ElfFile elf) {
      if (separate.isEmpty()) {
        return debugFiles.savedFunctions(elf, Optional.empty());
      }
      Optional<FileIdentity> other = separate.get().identity();
      return other.isEmpty() ? Optional.empty() : debugFiles.savedFunctions(elf, other);
    }

    ElfBytes keep(FunctionTableBuilder.TableSection table, Arena arena) {
      Section section = table.strings();
      ElfBytes bytes = table.file().bytes(section);
      boolean other = separate.isPresent() && separate.get().elf() == table.file();
      Optional<Path> file = other ? separate.get().readable() : Optional.of(path);
      return bytes.with(
          file.isPresent()
              ? map(file.get(), section, bytes.size(), arena)
              : arena.allocate(Math.max(1, bytes.size())).copyFrom(bytes.segment()).asReadOnly());
    }
  }

  private static ElfModule read(
      ElfFile elf,
      ElfFile symbols,
      String name,
      LoadMap loads,
      int maxFunctions,
      Optional<Names> names) {
    String buildId = buildId(elf);
    Optional<Arena> arena = names.map(n -> Arena.ofShared());
    try {
      FunctionTableBuilder builder = new FunctionTableBuilder(elf, symbols, maxFunctions);
      List<ElfBytes> strings = new ArrayList<>();
      for (FunctionTableBuilder.TableSection table : builder.tableSections()) {
        strings.add(
            names.isPresent()
                ? names.get().keep(table, arena.get())
                : table.file().bytes(table.strings()));
      }
      Supplier<FunctionTable> maker =
          () -> LostPages.guard(name, () -> builder.build(List.copyOf(strings)));
      Optional<SavedFunctions> index = names.flatMap(n -> n.index(elf));
      FunctionTable table =
          index.isPresent()
              ? index.get().get(List.copyOf(strings), arena.get(), maker)
              : maker.get();
      Optional<UnnamedReason> problem =
          table.size() == 0 ? Optional.of(UnnamedReason.NO_SYMBOLS) : Optional.empty();
      return new ElfModule(
          name, buildId, loads, table, problem, "", arena, SourceFrames.NONE, PltNames.NONE);
    } catch (FunctionTableBuilder.TooLargeException e) {
      arena.ifPresent(Arena::close);
      return without(name, buildId, loads, UnnamedReason.TOO_LARGE, e);
    } catch (ElfException | OutOfMemoryError e) {
      arena.ifPresent(Arena::close);
      return without(name, buildId, loads, UnnamedReason.BROKEN, e);
    }
  }

  /** A section's bytes in a mapping of their own. */
  static MemorySegment map(Path path, Section section, long size, Arena arena) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, section.fileOffset(), size, arena);
    } catch (IOException | IllegalArgumentException e) {
      throw new ElfException(path + ": cannot map " + section.name(), e);
    }
  }

  private static String buildId(ElfFile elf) {
    try {
      return elf.buildId().orElse("");
    } catch (ElfException e) {
      return "";
    }
  }

  private static ElfModule without(
      String name, String buildId, LoadMap loads, UnnamedReason problem, Throwable cause) {
    return new ElfModule(
        name,
        buildId,
        loads,
        FunctionTable.EMPTY,
        Optional.of(problem),
        String.valueOf(cause.getMessage()),
        Optional.empty(),
        SourceFrames.NONE,
        PltNames.NONE);
  }

  long bytes() {
    return OVERHEAD + functions.bytes();
  }

  /** Whether it has a build id but no debug information, and a debug file was not found. */
  boolean lacksDebugFile() {
    return !buildId.isEmpty() && sources.lacksDebugFile();
  }

  private ElfModule with(SourceFrames found, PltNames linked) {
    return new ElfModule(name, buildId, loads, functions, problem, message, names, found, linked);
  }

  @Override
  public void close() {
    names.ifPresent(Arena::close);
    sources.close();
    plt.close();
  }
}
