package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Abbreviations;
import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.FormValue;
import dev.plumb.dwarf.form.Forms;
import dev.plumb.dwarf.form.SectionReader;
import dev.plumb.dwarf.form.UnitHeader;

/** A unit's header and what its own entry says about the unit. Broken parts are missing. */
final class Unit {
  final DwarfFile file;
  final UnitHeader header;

  /** Where its line program is in {@code .debug_line}, or -1. */
  long lineProgram = -1;

  long strOffsetsBase;
  long addrBase;
  long rnglistsBase;

  /** The address that its range lists are relative to. */
  long baseAddress;

  /** If its entries are in another file, the id that connects the two; else 0. */
  long dwoId;

  /** Before DWARF 5, where the range lists of entries in another file start. */
  private long rangesBase;

  private boolean split;

  /** The same, in the other file's unit. */
  long splitRangesBase;

  private final FormValue lowPc = new FormValue();
  private final FormValue highPc = new FormValue();
  private final FormValue ranges = new FormValue();
  private final FormValue directory = new FormValue();
  private final FormValue entryPc = new FormValue();
  private final FormValue dwoName = new FormValue();

  Unit(DwarfFile file, UnitHeader header) {
    this.file = file;
    this.header = header;
    this.dwoId = header.dwoId();
    if (!header.readable()) {
      return;
    }
    try {
      read();
    } catch (DwarfException e) {
      // What was read before the damage is valid.
      return;
    }
  }

  private void read() {
    SectionReader in = entries();
    long code = in.uleb();
    if (code == 0) {
      return;
    }
    Abbreviations table = file.abbreviations(header, code);
    int abbreviation = table.find(code);
    FormValue value = new FormValue();
    int last = table.firstAttribute(abbreviation + 1);
    for (int a = table.firstAttribute(abbreviation); a < last; a++) {
      Forms.read(in, table.form(a), table.constant(a), header, value);
      take(table.name(a), value);
    }
    // Only now, because an index needs its base, which may come after it.
    FormValue base = lowPc.present() ? lowPc : entryPc;
    baseAddress = base.isAddress() ? address(base) : 0;
  }

  private void take(int name, FormValue value) {
    switch (name) {
      case Dw.AT_LOW_PC -> lowPc.set(value);
      case Dw.AT_HIGH_PC -> highPc.set(value);
      case Dw.AT_ENTRY_PC -> entryPc.set(value);
      case Dw.AT_RANGES -> ranges.set(value);
      case Dw.AT_COMP_DIR -> directory.set(value);
      case Dw.AT_STMT_LIST -> lineProgram = value.isSectionOffset() ? value.bits : -1;
      case Dw.AT_STR_OFFSETS_BASE -> strOffsetsBase = value.bits;
      case Dw.AT_ADDR_BASE, Dw.AT_GNU_ADDR_BASE -> addrBase = value.bits;
      case Dw.AT_RNGLISTS_BASE -> rnglistsBase = value.bits;
      case Dw.AT_GNU_RANGES_BASE -> rangesBase = value.bits;
      case Dw.AT_DWO_NAME, Dw.AT_GNU_DWO_NAME -> dwoName.set(value);
      case Dw.AT_GNU_DWO_ID -> dwoId = value.bits;
      default -> {
        // Not about code.
      }
    }
  }

  /** Copies what a split unit needs from the skeleton that names it. */
  void adopt(Unit skeleton) {
    split = true;
    addrBase = skeleton.addrBase;
    baseAddress = skeleton.baseAddress;
    splitRangesBase = skeleton.rangesBase;
    boolean is64 = header.offsetSize() == 8;
    if (header.version() >= 5) {
      // After the table's header; there is one table of each kind.
      strOffsetsBase = is64 ? 16 : 8;
      rnglistsBase = is64 ? 20 : 12;
    }
  }

  boolean isSplit() {
    return split;
  }

  /** Whether its entries are in another file. */
  boolean isSkeleton() {
    return dwoName.present();
  }

  String dwoName() {
    return file.string(dwoName, this);
  }

  /** A reader at the unit's own entry, which does not leave the unit. */
  SectionReader entries() {
    return file.sections.reader(file.sections.info).limit(header.end()).seek(header.firstEntry());
  }

  /** The folder that the compiler ran in. */
  String directory() {
    return file.string(directory, this);
  }

  /** The address that an attribute stands for. */
  long address(FormValue value) {
    return value.isAddressIndex() ? indexedAddress(value.bits) : value.bits;
  }

  long indexedAddress(long index) {
    return file.element(file.sections.addr, addrBase, index, header.addressSize());
  }

  /** The ranges of its code. */
  void ranges(RangeLists lists) {
    lists.visit(this, lowPc, highPc, ranges);
  }
}
