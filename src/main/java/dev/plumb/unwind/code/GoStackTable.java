package dev.plumb.unwind.code;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import java.util.List;
import java.util.Optional;

/**
 * Reads stack depths from Go's own table (.gopclntab), which stripped programs have too. For Go
 * 1.16 and later; {@code symbols.go} reads names and lines from the same table.
 *
 * <pre>
 *  header  u32 magic, u8 0, u8 0, u8 quantum, u8 word size, then words:
 *          nfunc, nfiles, (from 1.18 on: text start,) offsets of names, units, files, pc tables, functions
 *  _func   entry (1.16: a word, else u32), then u32: nameOff args deferreturn pcsp pcfile pcln
 *          npcdata cuOffset (from 1.20 on: startLine), then u8: funcID flag pad nfuncdata
 * </pre>
 */
final class GoStackTable {
  private static final long MAGIC_1_16 = 0xffff_fffaL;
  private static final long MAGIC_1_18 = 0xffff_fff0L;
  private static final long MAGIC_1_20 = 0xffff_fff1L;
  private static final int HEADER = 8;
  private static final int WORD = 8;
  private static final int PCSP = 12;
  private static final int IDS_1_18 = 32;
  private static final int IDS_1_20 = 36;

  /** A word of runtime.moduledata, whose first word is the address of the table. */
  private static final int MODULE_MINPC = 20;

  private static final int MODULE_TEXT = 22;
  private static final int RELA_SIZE = 24;
  private static final long MAX_SEARCH = 64L << 20;

  private final long magic;
  private final ElfBytes functions;
  private final ElfBytes names;
  private final ElfBytes pcTables;
  private final int count;
  private final long text;

  private GoStackTable(ElfBytes table, long elfAddress, ElfFile elf) {
    this.magic = table.u32(0);
    boolean known = magic == MAGIC_1_16 || magic == MAGIC_1_18 || magic == MAGIC_1_20;
    if (!known || table.u16(4) != 0 || table.u8(6) != 1 || table.u8(7) != WORD) {
      throw new ElfException("no Go table");
    }
    int first = relative() ? 3 : 2;
    this.names = part(table, first);
    this.pcTables = part(table, first + 3);
    this.functions = part(table, first + 4);
    long n = table.i64(HEADER);
    if (n <= 0 || n >= functions.size() / (2L * entrySize())) {
      throw new ElfException("Go's table: " + n + " functions");
    }
    this.count = (int) n;
    this.text = relative() ? textStart(elf, elfAddress) : 0;
  }

  private static ElfBytes part(ElfBytes table, int word) {
    long offset = table.i64(HEADER + (long) WORD * word);
    return table.slice(offset, table.size() - offset, "Go's table");
  }

  /** Empty if it is not a Go program, or for another machine. */
  static Optional<GoStackTable> of(ElfFile elf) {
    try {
      for (String name : List.of(".gopclntab", ".data.rel.ro.gopclntab")) {
        Optional<Section> section = elf.section(name);
        if (section.isPresent()) {
          long address = section.get().elfAddress();
          return Optional.of(new GoStackTable(elf.bytes(section.get()), address, elf));
        }
      }
    } catch (ElfException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  private boolean relative() {
    return magic != MAGIC_1_16;
  }

  private int entrySize() {
    return relative() ? 4 : WORD;
  }

  int count() {
    return count;
  }

  /** The ELF address of a function; for the number after the last one, the end of the last one. */
  long elfAddress(int function) {
    return text + entry(function);
  }

  private long entry(int function) {
    long at = 2L * entrySize() * function;
    return relative() ? functions.u32(at) : functions.i64(at);
  }

  private long description(int function) {
    long at = 2L * entrySize() * function + entrySize();
    return relative() ? functions.u32(at) : functions.i64(at);
  }

  /** Bits: 1 it is outermost, 2 it sets the stack pointer, 4 it is written in assembler. */
  int flags(int function) {
    int ids = magic == MAGIC_1_20 ? IDS_1_20 : IDS_1_18;
    return functions.u8(description(function) + entrySize() + ids + 1);
  }

  String name(int function) {
    return names.string(functions.u32(description(function) + entrySize()));
  }

  /** Where the function's table of stack depths starts in {@link #pcTables}; 0 if it has none. */
  long depths(int function) {
    return functions.u32(description(function) + entrySize() + PCSP);
  }

  ElfBytes pcTables() {
    return pcTables;
  }

  /**
   * The address that entries are relative to, from runtime.moduledata, which is found by its first
   * word. If its words are relocated, their values are in the file's relocations.
   */
  private long textStart(ElfFile elf, long table) {
    for (String name : List.of(".go.module", ".noptrdata", ".data", ".data.rel.ro")) {
      Optional<Section> section = elf.section(name);
      if (section.isPresent() && section.get().type() == Section.SHT_PROGBITS) {
        ElfBytes bytes = elf.bytes(section.get());
        long end = Math.min(bytes.size(), MAX_SEARCH) - WORD * (MODULE_TEXT + 1L);
        for (long at = 0; at <= end; at += WORD) {
          long found = bytes.i64(at + (long) WORD * MODULE_TEXT);
          if (bytes.i64(at) == table && agrees(found, bytes.i64(at + (long) WORD * MODULE_MINPC))) {
            return found;
          }
        }
      }
    }
    return relocatedTextStart(elf, table)
        .or(() -> elf.section(".text").map(Section::elfAddress))
        .orElseThrow(() -> new ElfException("Go's table: no code"));
  }

  /** Whether it agrees with the table about the first function. */
  private boolean agrees(long textStart, long minPc) {
    return textStart != 0 && textStart + entry(0) == minPc;
  }

  private Optional<Long> relocatedTextStart(ElfFile elf, long table) {
    Optional<Section> section = elf.section(".rela.dyn").or(() -> elf.section(".rela"));
    if (section.isEmpty()) {
      return Optional.empty();
    }
    ElfBytes entries = elf.bytes(section.get());
    long size = Math.min(entries.size(), MAX_SEARCH);
    for (long at = 0; at + RELA_SIZE <= size; at += RELA_SIZE) {
      if (entries.i64(at + 16) == table) {
        long place = entries.i64(at);
        long found = addend(entries, at, place + (long) WORD * MODULE_TEXT);
        if (agrees(found, addend(entries, at, place + (long) WORD * MODULE_MINPC))) {
          return Optional.of(found);
        }
      }
    }
    return Optional.empty();
  }

  /** The value that a relocation writes at a place; linkers sort relocations, so it is near. */
  private static long addend(ElfBytes entries, long from, long place) {
    long last = Math.min(entries.size() - RELA_SIZE, from + (long) RELA_SIZE * MODULE_TEXT);
    for (long at = from; at <= last; at += RELA_SIZE) {
      if (entries.i64(at) == place) {
        return entries.i64(at + 16);
      }
    }
    return 0;
  }
}
