package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is kept of a mapped file: how it is loaded, its build id, its functions. Of the file itself
 * only the string tables stay mapped, so that the symbol tables, read once, do not stay resident.
 *
 * @param problem why it has no functions
 * @param message the same in detail, or empty
 * @param names owns the mapped string tables
 */
record ElfModule(
    String name,
    String buildId,
    LoadMap loads,
    FunctionTable functions,
    Optional<Unnamed> problem,
    String message,
    Optional<Arena> names)
    implements AutoCloseable {
  /** What a module costs besides its functions; bounds the number of modules kept, too. */
  private static final long OVERHEAD = 4096;

  /** Never fails: what cannot be read is missing, and {@link #problem} says why. */
  static ElfModule read(Path path, String name, int maxFunctions) {
    try (ElfFile elf = ElfFile.open(path)) {
      return read(elf, name, maxFunctions, Optional.of(path));
    } catch (ElfException | OutOfMemoryError e) {
      return without(name, "", LoadMap.EMPTY, Unnamed.BROKEN, e);
    }
  }

  /** Of an image in memory, which must outlive the module. */
  static ElfModule read(MemorySegment image, String name, int maxFunctions) {
    try (ElfFile elf = ElfFile.of(image, name)) {
      return read(elf, name, maxFunctions, Optional.empty());
    } catch (ElfException | OutOfMemoryError e) {
      return without(name, "", LoadMap.EMPTY, Unnamed.BROKEN, e);
    }
  }

  private static ElfModule read(ElfFile elf, String name, int maxFunctions, Optional<Path> path) {
    LoadMap loads = LoadMap.of(elf);
    String buildId = buildId(elf);
    Optional<Arena> arena = path.map(p -> Arena.ofShared());
    try {
      FunctionTableBuilder builder = new FunctionTableBuilder(elf, maxFunctions);
      List<ElfBytes> strings = new ArrayList<>();
      for (Section table : builder.tableSections()) {
        ElfBytes bytes = elf.bytes(elf.sections().get(table.link()));
        strings.add(path.isEmpty() ? bytes : mapped(elf, bytes, table.link(), path.get(), arena));
      }
      FunctionTable table = LostPages.guard(name, () -> builder.build(List.copyOf(strings)));
      Optional<Unnamed> problem =
          table.size() == 0 ? Optional.of(Unnamed.NO_SYMBOLS) : Optional.empty();
      return new ElfModule(name, buildId, loads, table, problem, "", arena);
    } catch (FunctionTableBuilder.TooLargeException e) {
      arena.ifPresent(Arena::close);
      return without(name, buildId, loads, Unnamed.TOO_LARGE, e);
    } catch (ElfException | OutOfMemoryError e) {
      arena.ifPresent(Arena::close);
      return without(name, buildId, loads, Unnamed.BROKEN, e);
    }
  }

  /** The same bytes in a mapping of their own. */
  private static ElfBytes mapped(
      ElfFile elf, ElfBytes bytes, int section, Path path, Optional<Arena> arena) {
    Section strings = elf.sections().get(section);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment own =
          channel.map(
              FileChannel.MapMode.READ_ONLY,
              strings.fileOffset(),
              bytes.size(),
              arena.orElseThrow());
      return bytes.with(own);
    } catch (IOException | IllegalArgumentException e) {
      throw new ElfException(path + ": cannot map " + strings.name(), e);
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
      String name, String buildId, LoadMap loads, Unnamed problem, Throwable cause) {
    return new ElfModule(
        name,
        buildId,
        loads,
        FunctionTable.EMPTY,
        Optional.of(problem),
        String.valueOf(cause.getMessage()),
        Optional.empty());
  }

  long bytes() {
    return OVERHEAD + functions.bytes();
  }

  @Override
  public void close() {
    names.ifPresent(Arena::close);
  }
}
