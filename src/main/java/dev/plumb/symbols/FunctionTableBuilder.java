package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes a {@link FunctionTable} of a file's {@code .symtab} and {@code .dynsym}.
 *
 * <p>Functions are the symbols of type FUNC and IFUNC, those without a type (from assembler code)
 * and those of type OBJECT (from GHC), as long as they are in executable sections. A symbol without
 * a size reaches to the next symbol, never beyond its section. A symbol that is neither FUNC nor
 * IFUNC and lies in a sized function is a label or a table, and is left out.
 *
 * <p>If an address has several names, the best one is kept, by these criteria in turn: typed before
 * untyped, sized before unsized, exported (global or weak) before local, fewer leading underscores,
 * global before weak, {@code .symtab} before {@code .dynsym}, first in the table.
 *
 * <p>It allocates no objects: the symbols go to columns, and it sorts longs of start and number.
 * That takes 29 bytes per function while the table is made.
 */
final class FunctionTableBuilder {
  /** The size of the columns here and of those in the result. */
  static final int BYTES_PER_FUNCTION = 29;

  /** Neither FUNC nor IFUNC. */
  private static final int UNTYPED = 1;

  private static final int UNSIZED = 2;
  private static final int LOCAL = 4;
  private static final int WEAK = 8;
  private static final int MAX_SECTIONS = 1 << 16;
  private static final long MAX_TEXT = 0xffff_fff0L;

  private final ElfFile elf;
  private final int maxFunctions;
  private final List<TableSection> tableSections;
  private final SymbolTable[] tables;
  private long base = Long.MAX_VALUE;
  private long[] sectionStarts = {};
  private long[] sectionEnds = {};
  private final boolean arm;
  private int lastSection;
  private int count;

  /** Start from {@code base} in the upper half, number of the candidate in the lower. */
  private long[] keys = {};

  private int[] sizes = {};
  private int[] names = {};
  private byte[] traits = {};

  /** The memory limit does not suffice for this file. */
  static final class TooLargeException extends RuntimeException {
    TooLargeException(String message) {
      super(message);
    }
  }

  /** A symbol table and the file it is in; its {@code link} is the string table. */
  record TableSection(ElfFile file, Section section) {
    private static Optional<TableSection> find(ElfFile file, int type) {
      return file.sections().stream()
          .filter(s -> s.type() == type && s.size() > 0)
          .findFirst()
          .map(s -> new TableSection(file, s));
    }

    /** The section of its names. */
    Section strings() {
      return file.sections().get(section.link());
    }
  }

  FunctionTableBuilder(ElfFile elf, int maxFunctions) {
    this(elf, elf, maxFunctions);
  }

  /** With the {@code .symtab} of another file, which was stripped off this one. */
  FunctionTableBuilder(ElfFile elf, ElfFile symbols, int maxFunctions) {
    this.elf = elf;
    this.maxFunctions = maxFunctions;
    this.arm = elf.machine() == ElfFile.EM_AARCH64;
    this.tableSections =
        Stream.of(
                TableSection.find(symbols, Section.SHT_SYMTAB),
                TableSection.find(elf, Section.SHT_DYNSYM))
            .flatMap(Optional::stream)
            .toList();
    this.tables =
        tableSections.stream().map(t -> t.file().symbols(t.section())).toArray(SymbolTable[]::new);
  }

  /** Whether a file has a {@code .symtab}, so that no other file is needed. */
  static boolean hasSymbols(ElfFile elf) {
    return TableSection.find(elf, Section.SHT_SYMTAB).isPresent();
  }

  /** The symbol tables used, {@code .symtab} first. */
  List<TableSection> tableSections() {
    return tableSections;
  }

  /** {@code strings} are the string tables of {@link #tableSections}; the result keeps them. */
  FunctionTable build(List<ElfBytes> strings) {
    findExecutableSections();
    if (base == Long.MAX_VALUE) {
      return FunctionTable.EMPTY;
    }
    for (SymbolTable table : tables) {
      table.forEachDefined(this::count);
    }
    if (count > maxFunctions) {
      throw new TooLargeException(
          elf.name() + ": " + count + " functions, more than " + maxFunctions);
    }
    keys = new long[count];
    sizes = new int[count];
    names = new int[count];
    traits = new byte[count];
    count = 0;
    for (int t = 0; t < tables.length; t++) {
      int flag = t == 0 ? 0 : FunctionTable.SECOND_TABLE;
      long limit = Math.min(Integer.MAX_VALUE, tables[t].strings().size());
      tables[t].forEachDefined(
          (symbol, name, value, size, type, binding, section) -> {
            if (isFunction(name, value, type) && name < limit && count < keys.length) {
              add((int) name | flag, value, size, type, binding);
            }
          });
    }
    Arrays.sort(keys, 0, count);
    return columns(strings);
  }

  private void add(int name, long value, long size, int type, int binding) {
    keys[count] = (value - base) << 32 | count;
    names[count] = name;
    // Without a size, it reaches to its section's end for now; the next symbol cuts it.
    long most = sectionEnds[sectionOf(value)] - value;
    sizes[count] = (int) (size <= 0 ? most : Math.min(size, most));
    traits[count++] =
        (byte)
            ((type == SymbolTable.STT_NOTYPE || type == SymbolTable.STT_OBJECT ? UNTYPED : 0)
                | (size == 0 ? UNSIZED : 0)
                | (binding == SymbolTable.STB_LOCAL ? LOCAL : 0)
                | (binding == SymbolTable.STB_WEAK ? WEAK : 0));
  }

  /**
   * Sections are found by address, because a symbol's own section number may be stale: objcopy
   * removes sections without changing .dynsym.
   */
  private void findExecutableSections() {
    List<Section> found =
        elf.sections().stream()
            .filter(s -> (s.flags() & Section.SHF_EXECINSTR) != 0)
            .filter(s -> s.size() > 0 && s.elfAddress() >= 0 && s.elfAddress() + s.size() > 0)
            .limit(MAX_SECTIONS + 1)
            .sorted(Comparator.comparingLong(Section::elfAddress))
            .toList();
    if (found.isEmpty()) {
      return;
    }
    if (found.size() > MAX_SECTIONS) {
      throw new ElfException(elf.name() + ": more than " + MAX_SECTIONS + " sections of code");
    }
    sectionStarts = found.stream().mapToLong(Section::elfAddress).toArray();
    sectionEnds = found.stream().mapToLong(s -> s.elfAddress() + s.size()).toArray();
    base = sectionStarts[0];
    if (Arrays.stream(sectionEnds).max().getAsLong() - base > MAX_TEXT) {
      throw new ElfException(elf.name() + ": code is spread over more than 4 GiB");
    }
  }

  /** The executable section that an address lies in, or -1. */
  private int sectionOf(long elfAddress) {
    if (elfAddress >= sectionStarts[lastSection] && elfAddress < sectionEnds[lastSection]) {
      return lastSection;
    }
    int found = Arrays.binarySearch(sectionStarts, elfAddress);
    int before = found >= 0 ? found : -found - 2;
    if (before < 0 || elfAddress >= sectionEnds[before]) {
      return -1;
    }
    lastSection = before;
    return before;
  }

  private void count(
      int symbol, long name, long value, long size, int type, int binding, int section) {
    if (isFunction(name, value, type)) {
      count++;
    }
  }

  private boolean isFunction(long name, long value, int type) {
    return (type == SymbolTable.STT_FUNC
            || type == SymbolTable.STT_GNU_IFUNC
            || type == SymbolTable.STT_NOTYPE
            || type == SymbolTable.STT_OBJECT)
        && name != 0
        && sectionOf(value) >= 0;
  }

  private FunctionTable columns(List<ElfBytes> strings) {
    int[] startColumn = new int[count];
    int[] sizeColumn = new int[count];
    int[] nameColumn = new int[count];
    int size = 0;
    long coveredTo = 0;
    for (int from = 0; from < count; ) {
      long start = keys[from] >>> 32;
      int to = from + 1;
      while (to < count && keys[to] >>> 32 == start) {
        to++;
      }
      int best = best(from, to);
      boolean label = (traits[best] & UNTYPED) != 0;
      if (!(label && (start < coveredTo || isMark(names[best])))) {
        long length = Integer.toUnsignedLong(sizes[best]);
        if ((traits[best] & UNSIZED) == 0) {
          coveredTo = Math.max(coveredTo, start + length);
        } else if (to < count) {
          length = Math.min(length, (keys[to] >>> 32) - start);
        }
        startColumn[size] = (int) start;
        sizeColumn[size] = (int) length;
        nameColumn[size++] = names[best];
      }
      from = to;
    }
    return new FunctionTable(
        base,
        new FunctionColumns.Kept(
            Arrays.copyOf(startColumn, size),
            Arrays.copyOf(sizeColumn, size),
            Arrays.copyOf(nameColumn, size)),
        strings);
  }

  /** {@code $x} and {@code $d} mark code and data for Arm's tools. */
  private boolean isMark(int name) {
    return arm && strings(name).u8(name & ~FunctionTable.SECOND_TABLE) == '$';
  }

  /** The best of the symbols of one address, by the criteria above. */
  private int best(int from, int to) {
    int best = (int) keys[from];
    if (to - from == 1) {
      return best;
    }
    int bestRank = rank(best);
    for (int i = from + 1; i < to; i++) {
      int candidate = (int) keys[i];
      int rank = rank(candidate);
      if (rank < bestRank) {
        best = candidate;
        bestRank = rank;
      }
    }
    return best;
  }

  /** Smaller is better. */
  private int rank(int candidate) {
    int name = names[candidate];
    int trait = traits[candidate];
    int rank = (trait & UNTYPED) != 0 ? 1 : 0;
    rank = rank << 1 | ((trait & UNSIZED) != 0 ? 1 : 0);
    rank = rank << 1 | ((trait & LOCAL) != 0 ? 1 : 0);
    rank = rank << 4 | underscores(strings(name), name & ~FunctionTable.SECOND_TABLE);
    rank = rank << 1 | ((trait & WEAK) != 0 ? 1 : 0);
    return rank << 1 | (name < 0 ? 1 : 0);
  }

  private ElfBytes strings(int name) {
    return tables[name < 0 ? 1 : 0].strings();
  }

  private static int underscores(ElfBytes strings, long nameOffset) {
    int n = 0;
    while (n < 15 && nameOffset + n < strings.size() && strings.u8(nameOffset + n) == '_') {
      n++;
    }
    return n;
  }
}
