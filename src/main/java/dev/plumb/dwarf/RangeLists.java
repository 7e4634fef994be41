package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.dwarf.form.FormValue;
import dev.plumb.dwarf.form.SectionReader;

/** Reads the address ranges of entries. */
final class RangeLists {
  /** Takes one range; {@code high} is exclusive. */
  @FunctionalInterface
  interface Visitor {
    void range(long low, long high);
  }

  private final Visitor visitor;

  /** How many list entries may still be read: many entries may refer to one long list. */
  private long left;

  RangeLists(Visitor visitor, long most) {
    this.visitor = visitor;
    this.left = most;
  }

  /** The most that a file can need: all its lists, each shared by a few entries. */
  static long most(DwarfSections sections) {
    return (1 << 16) + 4 * (sections.ranges.size() + sections.rnglists.size());
  }

  /** Visits the ranges of an entry with these attributes. */
  void visit(Unit unit, FormValue lowPc, FormValue highPc, FormValue ranges) {
    if (lowPc.isAddress() && highPc.present()) {
      long low = unit.address(lowPc);
      if (!unit.header.isTombstone(low)) {
        if (highPc.isAddress()) {
          visitor.range(low, unit.address(highPc));
          return;
        }
        if (highPc.isConstant()) {
          visitor.range(low, low + highPc.bits);
          return;
        }
      }
    }
    if (!ranges.present()) {
      return;
    }
    if (unit.header.version() < 5) {
      if (ranges.isSectionOffset()) {
        oldList(unit, unit.splitRangesBase + ranges.bits);
      }
    } else if (ranges.form == Dw.FORM_RNGLISTX) {
      long base = unit.rnglistsBase;
      DwarfFile file = unit.file;
      list(
          unit,
          base + file.element(file.sections.rnglists, base, ranges.bits, unit.header.offsetSize()));
    } else if (ranges.isSectionOffset()) {
      list(unit, ranges.bits);
    }
  }

  /** Reads {@code .debug_ranges}: pairs of addresses relative to a base. */
  private void oldList(Unit unit, long offset) {
    DwarfSections sections = unit.file.sections;
    SectionReader in = sections.reader(sections.ranges).seek(offset);
    int size = unit.header.addressSize();
    long base = unit.baseAddress;
    while (true) {
      count();
      long low = in.unsigned(size);
      long high = in.unsigned(size);
      if (low == 0 && high == 0) {
        return;
      }
      if (unit.header.isTombstone(low)) {
        base = high;
      } else if (!unit.header.isTombstone(base)) {
        visitor.range(base + low, base + high);
      }
    }
  }

  /** Reads {@code .debug_rnglists}. */
  private void list(Unit unit, long offset) {
    DwarfSections sections = unit.file.sections;
    SectionReader in = sections.reader(sections.rnglists).seek(offset);
    int size = unit.header.addressSize();
    long base = unit.baseAddress;
    while (true) {
      count();
      int kind = in.u8();
      switch (kind) {
        case Dw.RLE_END_OF_LIST:
          return;
        case Dw.RLE_BASE_ADDRESSX:
          base = unit.indexedAddress(in.uleb());
          break;
        case Dw.RLE_BASE_ADDRESS:
          base = in.unsigned(size);
          break;
        case Dw.RLE_OFFSET_PAIR:
          long low = in.uleb();
          long high = in.uleb();
          if (!unit.header.isTombstone(base)) {
            visitor.range(base + low, base + high);
          }
          break;
        default:
          startAndEnd(unit, in, kind);
      }
    }
  }

  private void startAndEnd(Unit unit, SectionReader in, int kind) {
    int size = unit.header.addressSize();
    long low;
    long high;
    switch (kind) {
      case Dw.RLE_STARTX_ENDX -> {
        low = unit.indexedAddress(in.uleb());
        high = unit.indexedAddress(in.uleb());
      }
      case Dw.RLE_STARTX_LENGTH -> {
        low = unit.indexedAddress(in.uleb());
        high = low + in.uleb();
      }
      case Dw.RLE_START_END -> {
        low = in.unsigned(size);
        high = in.unsigned(size);
      }
      case Dw.RLE_START_LENGTH -> {
        low = in.unsigned(size);
        high = low + in.uleb();
      }
      default -> throw new DwarfException("unknown range " + kind);
    }
    if (!unit.header.isTombstone(low)) {
      visitor.range(low, high);
    }
  }

  private void count() {
    if (left-- <= 0) {
      throw new DwarfException("too many ranges");
    }
  }
}
