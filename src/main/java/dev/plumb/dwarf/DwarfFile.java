package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Abbreviations;
import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.dwarf.form.FormValue;
import dev.plumb.dwarf.form.SectionReader;
import dev.plumb.dwarf.form.UnitHeader;
import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import java.util.Arrays;
import java.util.Optional;

/** The units of one file, and the strings and abbreviations that their entries refer to. */
final class DwarfFile {
  /** Twenty times as many as a web browser has. */
  private static final int MAX_UNITS = 1 << 20;

  private static final long ABBREVIATION_BYTES = 2L << 20;
  private static final int UNITS_KEPT = 64;

  /**
   * Limits the abbreviations read for the units' own entries, in bytes: broken files could make
   * that quadratic.
   */
  private static final long MAX_ROOT_BYTES = 64L << 20;

  final DwarfSections sections;

  /** The file that dwz moved common entries and strings to. */
  final Optional<DwarfFile> alternate;

  private final long[] unitOffsets;
  private final ByteBoundCache<Long, Abbreviations> abbreviations =
      new ByteBoundCache<>(ABBREVIATION_BYTES, Abbreviations::bytes);
  private final ByteBoundCache<Integer, Unit> units = new ByteBoundCache<>(UNITS_KEPT, u -> 1);
  private long rootBytes;

  DwarfFile(DwarfSections sections, Optional<DwarfFile> alternate) {
    this(sections, alternate, findUnits(sections));
  }

  /** With known units, in the order of their place. */
  DwarfFile(DwarfSections sections, Optional<DwarfFile> alternate, long[] unitOffsets) {
    this.sections = sections;
    this.alternate = alternate;
    this.unitOffsets = unitOffsets;
  }

  private static long[] findUnits(DwarfSections sections) {
    long[] offsets = new long[64];
    int count = 0;
    SectionReader in = sections.reader(sections.info);
    try {
      while (!in.atEnd() && count < MAX_UNITS) {
        UnitHeader header = UnitHeader.read(in);
        if (count == offsets.length) {
          offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = header.offset();
        in.seek(header.end());
      }
    } catch (DwarfException e) {
      // After a broken length no unit can be found; those before it are good.
      return Arrays.copyOf(offsets, count);
    }
    return Arrays.copyOf(offsets, count);
  }

  /** Where the header of each unit is; do not change the array. */
  long[] unitOffsets() {
    return unitOffsets;
  }

  int unitCount() {
    return unitOffsets.length;
  }

  /** The number of the unit whose header is there, or negative. */
  int unitStartingAt(long infoOffset) {
    return Arrays.binarySearch(unitOffsets, infoOffset);
  }

  /** The unit that an entry is in. */
  Unit unitOf(long infoOffset) {
    int found = unitStartingAt(infoOffset);
    int number = found >= 0 ? found : -found - 2;
    if (number < 0) {
      throw new DwarfException("no unit at " + infoOffset);
    }
    Unit unit = unit(number);
    if (infoOffset < unit.header.firstEntry() || infoOffset >= unit.header.end()) {
      throw new DwarfException("no entry at " + infoOffset);
    }
    return unit;
  }

  Unit unit(int number) {
    Unit known = units.get(number);
    if (known != null) {
      return known;
    }
    Unit unit = unitOnce(number);
    units.put(number, unit);
    return unit;
  }

  /** The same, but not cached. */
  Unit unitOnce(int number) {
    SectionReader in = sections.reader(sections.info).seek(unitOffsets[number]);
    return new Unit(this, UnitHeader.read(in));
  }

  /** The abbreviations of a unit's entries. */
  Abbreviations abbreviations(UnitHeader header) {
    // Units of several shapes may share a table, but skipping depends on the shape.
    long shape = (header.version() == 2 ? 1 : 0) | header.offsetSize() | header.addressSize() << 1;
    long key = header.abbrevOffset() << 5 | shape;
    Abbreviations known = abbreviations.get(key);
    if (known == null) {
      known = Abbreviations.read(abbreviationsAt(header), header);
      abbreviations.put(key, known);
    }
    return known;
  }

  /** Reads only as many of them as an entry with that code needs. */
  Abbreviations abbreviations(UnitHeader header, long code) {
    if (rootBytes > MAX_ROOT_BYTES + 4 * sections.abbrev.size()) {
      throw new DwarfException("too many abbreviations");
    }
    SectionReader in = abbreviationsAt(header);
    try {
      return Abbreviations.read(in, header, code);
    } finally {
      rootBytes += in.position() - header.abbrevOffset();
    }
  }

  private SectionReader abbreviationsAt(UnitHeader header) {
    return sections.reader(sections.abbrev).seek(header.abbrevOffset());
  }

  /** The string that a value of an entry stands for; empty if there is none. */
  String string(FormValue value, Unit unit) {
    try {
      return switch (value.form) {
        case Dw.FORM_STRING -> sections.info.string(value.bits);
        case Dw.FORM_STRX,
            Dw.FORM_STRX1,
            Dw.FORM_STRX2,
            Dw.FORM_STRX3,
            Dw.FORM_STRX4,
            Dw.FORM_GNU_STR_INDEX ->
            sections.str.string(indexed(value.bits, unit));
        default -> string(value);
      };
    } catch (ElfException | DwarfException e) {
      return "";
    }
  }

  /** The same for values that need no unit. */
  private String string(FormValue value) {
    return switch (value.form) {
      case Dw.FORM_STRP -> sections.str.string(value.bits);
      case Dw.FORM_LINE_STRP -> sections.lineStr.string(value.bits);
      case Dw.FORM_STRP_SUP, Dw.FORM_GNU_STRP_ALT ->
          alternate.isPresent() ? alternate.get().sections.str.string(value.bits) : "";
      default -> "";
    };
  }

  private long indexed(long index, Unit unit) {
    return element(sections.strOffsets, unit.strOffsetsBase, index, unit.header.offsetSize());
  }

  /** Number {@code index} of a table of numbers at {@code base}. */
  long element(ElfBytes section, long base, long index, int size) {
    if (index < 0 || index > section.size()) {
      throw new DwarfException("no number " + index + " in a table");
    }
    return sections.reader(section).seek(base + index * size).unsigned(size);
  }
}
