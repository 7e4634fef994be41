package dev.plumb.symbols;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.LostPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Saves a {@link FunctionTable} on disk, for the next run:
 *
 * <pre>
 *  0 u64 base of the code        16 u64 size of the first string table     32 the three columns
 *  8 u64 number of functions     24 u64 size of the second one, or 0
 * </pre>
 */
final class SavedFunctions {
  private static final int HEADER = 32;

  private final IndexFiles files;
  private final IndexFiles.Key key;

  SavedFunctions(IndexFiles files, IndexFiles.Key key) {
    this.files = files;
    this.key = key;
  }

  /** The saved table, mapped while {@code arena} is open; else makes it now and saves it. */
  FunctionTable get(List<ElfBytes> strings, Arena arena, Supplier<FunctionTable> maker) {
    Optional<FunctionTable> known = load(strings, arena);
    if (known.isPresent()) {
      return known.get();
    }
    FunctionTable made = maker.get();
    if (made.columns() instanceof FunctionColumns.Kept kept) {
      long[] header = {made.base(), kept.count(), size(strings, 0), size(strings, 1)};
      files.save(
          IndexFiles.Kind.FUNCTIONS,
          key,
          List.of(
              MemorySegment.ofArray(header),
              MemorySegment.ofArray(kept.starts()),
              MemorySegment.ofArray(kept.sizes()),
              MemorySegment.ofArray(kept.names())));
    }
    return made;
  }

  private Optional<FunctionTable> load(List<ElfBytes> strings, Arena arena) {
    try {
      return files
          .load(IndexFiles.Kind.FUNCTIONS, key, arena)
          .flatMap(bytes -> LostPages.guard("functions", () -> read(bytes, strings)));
    } catch (ElfException e) {
      return Optional.empty(); // somebody truncated it
    }
  }

  private static Optional<FunctionTable> read(MemorySegment bytes, List<ElfBytes> strings) {
    if (bytes.byteSize() < HEADER
        || number(bytes, 2) != size(strings, 0)
        || number(bytes, 3) != size(strings, 1)) {
      return Optional.empty();
    }
    long count = number(bytes, 1);
    if (count <= 0
        || count > Integer.MAX_VALUE
        || bytes.byteSize() - HEADER != count * FunctionTable.BYTES_PER_FUNCTION) {
      return Optional.empty();
    }
    FunctionColumns columns = new FunctionColumns.Mapped(bytes.asSlice(HEADER), (int) count);
    return Optional.of(new FunctionTable(number(bytes, 0), columns, strings));
  }

  private static long size(List<ElfBytes> strings, int table) {
    return table < strings.size() ? strings.get(table).size() : 0;
  }

  private static long number(MemorySegment bytes, int which) {
    return bytes.get(JAVA_LONG_UNALIGNED, 8L * which);
  }
}
