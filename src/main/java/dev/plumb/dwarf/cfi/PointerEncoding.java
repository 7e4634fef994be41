package dev.plumb.dwarf.cfi;

/** DW_EH_PE_…: the format of a pointer in the low four bits, what it is relative to above. */
final class PointerEncoding {
  static final int ABSOLUTE = 0x00;
  static final int PC_RELATIVE = 0x10;
  static final int DATA_RELATIVE = 0x30;
  static final int ALIGNED = 0x50;
  static final int INDIRECT = 0x80;
  static final int OMITTED = 0xff;

  private PointerEncoding() {}
}
