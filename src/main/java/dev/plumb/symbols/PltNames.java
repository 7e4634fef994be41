package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The entries of a file's procedure linkage table, through which it calls functions in other files.
 * No symbol names them; each is named after the function it jumps to. The table is read at the
 * first lookup of an address in it; until then, only its place is known.
 */
final class PltNames implements AutoCloseable {
  static final PltNames NONE = new PltNames(Optional.empty(), 0, 0);

  /** Linkers make no longer entries. */
  private static final int MAX_ENTRY = 32;

  private final Optional<Path> path;
  private final long first;
  private final long end;
  private Optional<Arena> names = Optional.empty();
  private Optional<Table> table = Optional.empty();
  private boolean looked;

  private PltNames(Optional<Path> path, long first, long end) {
    this.path = path;
    this.first = first;
    this.end = end;
  }

  /**
   * An entry.
   *
   * @param elfAddress where it starts
   * @param target the function that it leads to; empty if only its resolver is known
   * @param resolver ELF address of the function that chooses the one to call, or 0
   */
  record Entry(long elfAddress, String target, long resolver) {}

  /**
   * Columns, sorted by start: start from {@code base} and where the name is in {@code strings}, or
   * the number of a resolver, negative.
   */
  record Table(long base, int[] starts, int[] names, long[] resolvers, ElfBytes strings) {}

  /** {@code path} is where {@code elf} can be opened again. */
  static PltNames of(ElfFile elf, Path path) {
    long first = Long.MAX_VALUE;
    long end = 0;
    try {
      for (Section section : elf.sections()) {
        if (PltReader.isPlt(section)) {
          first = Math.min(first, section.elfAddress());
          end = Math.max(end, section.elfAddress() + section.size());
        }
      }
    } catch (ElfException e) {
      return NONE;
    }
    return first < end ? new PltNames(Optional.of(path), first, end) : NONE;
  }

  /** The entry that an address lies in. */
  Optional<Entry> find(long elfAddress) {
    if (elfAddress < first || elfAddress >= end) {
      return Optional.empty();
    }
    if (!looked) {
      looked = true;
      table = path.flatMap(this::read);
    }
    return table.flatMap(t -> find(t, elfAddress));
  }

  private static Optional<Entry> find(Table table, long elfAddress) {
    long offset = elfAddress - table.base();
    int low = 0;
    int high = table.starts().length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (table.starts()[middle] <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    if (high < 0 || offset - table.starts()[high] >= MAX_ENTRY) {
      return Optional.empty();
    }
    long start = table.base() + table.starts()[high];
    int name = table.names()[high];
    if (name < 0) {
      return Optional.of(new Entry(start, "", table.resolvers()[-1 - name]));
    }
    try {
      String target = LostPages.guard("names", () -> table.strings().string(name));
      return target.isEmpty() ? Optional.empty() : Optional.of(new Entry(start, target, 0));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private Optional<Table> read(Path file) {
    try (ElfFile elf = ElfFile.open(file)) {
      Optional<Section> dynamic =
          elf.sections().stream().filter(s -> s.type() == Section.SHT_DYNSYM).findFirst();
      ElfBytes strings = ElfBytes.none("names");
      if (dynamic.isPresent() && isIn(elf, dynamic.get().link())) {
        Section section = elf.sections().get(dynamic.get().link());
        ElfBytes bytes = elf.bytes(section);
        // A mapping of its own: the rest of the file, read once, does not stay resident.
        names = Optional.of(Arena.ofShared());
        strings = bytes.with(ElfModule.map(file, section, bytes.size(), names.get()));
      }
      ElfBytes kept = strings;
      Table found = LostPages.guard(elf.name(), () -> PltReader.read(elf, dynamic, first, kept));
      return found.starts().length == 0 ? Optional.empty() : Optional.of(found);
    } catch (ElfException | OutOfMemoryError e) {
      return Optional.empty(); // a broken file has no names
    }
  }

  private static boolean isIn(ElfFile elf, int section) {
    return section > 0 && section < elf.sections().size();
  }

  @Override
  public void close() {
    table = Optional.empty();
    names.ifPresent(Arena::close);
    names = Optional.empty();
  }
}
