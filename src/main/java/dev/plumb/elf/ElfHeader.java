package dev.plumb.elf;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * The file header, field by field.
 *
 * <pre>
 *            64 bit  32 bit                      64 bit  32 bit
 * e_ident       0       0     e_phentsize  u16     54      42
 * e_type  u16  16      16     e_phnum      u16     56      44
 * e_machine    18      18     e_shentsize  u16     58      46
 * e_entry word 24      24     e_shnum      u16     60      48
 * e_phoff word 32      28     e_shstrndx   u16     62      50
 * e_shoff word 40      32     (end)                64      52
 * </pre>
 */
record ElfHeader(
    int type,
    int machine,
    long entry,
    long segmentsOffset,
    long sectionsOffset,
    int segmentEntrySize,
    int segmentCount,
    int sectionEntrySize,
    int sectionCount,
    int sectionNames) {
  /** e_phnum if the real number is in section 0. */
  static final int PN_XNUM = 0xffff;

  /** e_shstrndx if the real number is in section 0. */
  static final int SHN_XINDEX = 0xffff;

  private static final int IDENT_SIZE = 16;

  /** Checks e_ident and determines class and byte order. */
  static ElfBytes identify(MemorySegment file, String name) {
    ElfBytes ident = new ElfBytes(file, true, ByteOrder.LITTLE_ENDIAN, name);
    if (file.byteSize() < IDENT_SIZE) {
      throw new ElfException(name + ": too short for an ELF file: " + file.byteSize() + " bytes");
    }
    if (ident.i32(0) != 0x464c457f) {
      throw new ElfException(
          name + ": not an ELF file, it starts with " + ElfBytes.hex(ident.i32(0)));
    }
    boolean is64 =
        switch (ident.u8(4)) {
          case 1 -> false;
          case 2 -> true;
          default -> throw new ElfException(name + ": unknown ELF class " + ident.u8(4));
        };
    ByteOrder order =
        switch (ident.u8(5)) {
          case 1 -> ByteOrder.LITTLE_ENDIAN;
          case 2 -> ByteOrder.BIG_ENDIAN;
          default -> throw new ElfException(name + ": unknown ELF byte order " + ident.u8(5));
        };
    return new ElfBytes(file, is64, order, name);
  }

  static ElfHeader read(ElfBytes file) {
    boolean is64 = file.is64();
    int tail = is64 ? 54 : 42;
    return new ElfHeader(
        file.u16(16),
        file.u16(18),
        file.word(24),
        file.word(is64 ? 32 : 28),
        file.word(is64 ? 40 : 32),
        file.u16(tail),
        file.u16(tail + 2),
        file.u16(tail + 4),
        file.u16(tail + 6),
        file.u16(tail + 8));
  }
}
