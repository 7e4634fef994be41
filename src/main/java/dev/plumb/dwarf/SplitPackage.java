package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfFile;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A package of split units (DWARF 5, section 7.3.5, and GNU's format before it). Its index is
 *
 * <pre>
 *  u32 version (2, or u16 5 and padding), u32 columns, u32 units, u32 slots,
 *  u64 id[slots], u32 row[slots] (from 1; 0 is free),
 *  u32 section[columns], u32 offset[units][columns], u32 size[units][columns]
 * </pre>
 */
final class SplitPackage {
  private static final int INFO = 1;
  private static final int ABBREV = 3;
  private static final int STR_OFFSETS = 6;
  private static final int RNGLISTS = 8;
  private static final int MAX_COLUMNS = 32;
  private static final long HEADER = 16;

  private final Map<String, ElfBytes> sections = new HashMap<>();
  private final ElfBytes index;
  private final boolean standard;
  private final long columns;
  private final long units;
  private final long slots;

  private SplitPackage(ElfFile elf) {
    DwarfSections.Finder finder = new DwarfSections.Finder(elf, ".dwo");
    for (String name : new String[] {"info", "abbrev", "str_offsets", "rnglists", "str"}) {
      sections.put(name, finder.find(name));
    }
    this.index = new DwarfSections.Finder(elf, "").find("cu_index");
    boolean there = index.size() >= HEADER;
    this.standard = there && index.u16(0) == 5;
    this.columns = there ? index.u32(4) : 0;
    this.units = there ? index.u32(8) : 0;
    this.slots = there && columns <= MAX_COLUMNS ? index.u32(12) : 0;
  }

  static SplitPackage of(ElfFile elf) {
    return new SplitPackage(elf);
  }

  /** The parts of the sections that belong to one unit. */
  Optional<DwarfSections> find(long dwoId, DwarfSections main) {
    long row = row(dwoId);
    if (row < 1 || row > units) {
      return Optional.empty();
    }
    Map<String, ElfBytes> parts = new HashMap<>();
    long names = HEADER + slots * 12;
    long offsets = names + 4 * columns + 4 * columns * (row - 1);
    long sizes = offsets + 4 * columns * units;
    for (long column = 0; column < columns; column++) {
      String name = name(index.u32(names + 4 * column));
      ElfBytes section = sections.get(name);
      if (section != null) {
        long offset = index.u32(offsets + 4 * column);
        parts.put(name, section.slice(offset, index.u32(sizes + 4 * column), name));
      }
    }
    parts.put("str", sections.get("str"));
    return Optional.of(
        DwarfSections.split(
            name -> parts.containsKey(name) ? parts.get(name) : ElfBytes.none(name), main));
  }

  private String name(long section) {
    return switch ((int) section) {
      case INFO -> "info";
      case ABBREV -> "abbrev";
      case STR_OFFSETS -> "str_offsets";
      case RNGLISTS -> standard ? "rnglists" : "";
      default -> "";
    };
  }

  /** Looks up a row by open addressing; the number of slots is a power of two. */
  private long row(long dwoId) {
    if (slots <= 0 || slots > index.size() / 12 || Long.bitCount(slots) != 1) {
      return 0;
    }
    long slot = dwoId & slots - 1;
    long step = dwoId >>> 32 & slots - 1 | 1;
    for (long i = 0; i < slots; i++) {
      long row = index.u32(HEADER + slots * 8 + slot * 4);
      if (row == 0 || index.i64(HEADER + slot * 8) == dwoId) {
        return row;
      }
      slot = slot + step & slots - 1;
    }
    return 0;
  }
}
