package dev.plumb.dwarf.form;

/**
 * A unit's header.
 *
 * <pre>
 *  2 to 4: unit_length, u16 version, debug_abbrev_offset, u8 address_size
 *  5:      unit_length, u16 version, u8 unit_type, u8 address_size, debug_abbrev_offset,
 *          u64 dwo_id (skeleton, split compile) | u64 signature, type_offset (type)
 * </pre>
 *
 * unit_length is u32, or 0xffffffff and u64; then other offsets are u64 too.
 *
 * @param offset of the header in its section
 * @param end the end of the unit
 * @param firstEntry where the entry of the unit itself starts
 */
public record UnitHeader(
    long offset,
    long end,
    int version,
    int type,
    int offsetSize,
    int addressSize,
    long abbrevOffset,
    long firstEntry,
    long dwoId) {
  public static final long LONG_LENGTH = 0xffff_ffffL;
  private static final long RESERVED = 0xffff_fff0L;

  /** Reads the header at the reader's position. */
  public static UnitHeader read(SectionReader in) {
    long offset = in.position();
    long length = in.u32();
    int offsetSize = 4;
    if (length == LONG_LENGTH) {
      length = in.u64();
      offsetSize = 8;
    } else if (length >= RESERVED) {
      throw new DwarfException("a unit of reserved length");
    }
    if (length < 0 || length > in.size() - in.position()) {
      throw new DwarfException("a unit that is longer than its section");
    }
    long end = in.position() + length;
    int version = in.u16();
    int type = version >= 5 ? in.u8() : 0;
    int addressSize = version >= 5 ? in.u8() : 0;
    long abbrevOffset = in.unsigned(offsetSize);
    if (version < 5) {
      addressSize = in.u8();
    }
    if (version < 2 || version > 5 || addressSize != 4 && addressSize != 8) {
      // Kept, so that the units after it are found; it has no entries.
      return new UnitHeader(offset, end, 0, type, offsetSize, 8, 0, end, 0);
    }
    long dwoId = 0;
    if (type == Dw.UT_SKELETON || type == Dw.UT_SPLIT_COMPILE) {
      dwoId = in.u64();
    } else if (type == Dw.UT_TYPE || type == Dw.UT_SPLIT_TYPE) {
      in.skip(8L + offsetSize);
    }
    return new UnitHeader(
        offset,
        end,
        version,
        type,
        offsetSize,
        addressSize,
        abbrevOffset,
        Math.min(end, in.position()),
        dwoId);
  }

  public boolean readable() {
    return version != 0;
  }

  /** Whether linkers write this address for code that they left out (DWARF issue 200609.1). */
  public boolean isTombstone(long address) {
    return address == (addressSize == 8 ? -1 : 0xffff_ffffL);
  }
}
