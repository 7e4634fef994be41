package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.SectionReader;
import dev.plumb.dwarf.form.UnitHeader;

/**
 * The header of a line program.
 *
 * <pre>
 *  unit_length, u16 version, (5: u8 address_size, u8 segment_selector_size,) header_length,
 *  u8 minimum_instruction_length, (4, 5: u8 maximum_operations_per_instruction,)
 *  u8 default_is_stmt, s8 line_base, u8 line_range, u8 opcode_base,
 *  u8 standard_opcode_lengths[opcode_base - 1], folders and files, then the program
 * </pre>
 *
 * @param operandCounts of the standard opcodes; 0 is not used
 * @param tables where the tables of folders and files start
 * @param program where the program starts
 * @param end the end of the program
 */
record LineHeader(
    int version,
    int offsetSize,
    int addressSize,
    int instructionLength,
    int operations,
    int lineBase,
    int lineRange,
    int[] operandCounts,
    long tables,
    long program,
    long end) {
  static LineHeader read(SectionReader in, int unitAddressSize) {
    long length = in.u32();
    int offsetSize = 4;
    if (length == UnitHeader.LONG_LENGTH) {
      length = in.u64();
      offsetSize = 8;
    }
    if (length < 0 || length > in.size() - in.position()) {
      throw new DwarfException("a line program that is longer than its section");
    }
    long end = in.position() + length;
    in.limit(end);
    int version = in.u16();
    if (version < 2 || version > 5) {
      throw new DwarfException("line program of version " + version);
    }
    int addressSize = unitAddressSize;
    if (version >= 5) {
      addressSize = in.u8();
      in.u8();
    }
    if (addressSize != 4 && addressSize != 8) {
      throw new DwarfException("line program with addresses of " + addressSize + " bytes");
    }
    long headerLength = in.unsigned(offsetSize);
    if (headerLength < 0 || headerLength > end - in.position()) {
      throw new DwarfException("a header that is longer than its line program");
    }
    long program = in.position() + headerLength;
    int instructionLength = in.u8();
    int operations = version >= 4 ? in.u8() : 1;
    in.u8();
    int lineBase = (byte) in.u8();
    int lineRange = in.u8();
    int[] operandCounts = new int[Math.max(1, in.u8())];
    for (int i = 1; i < operandCounts.length; i++) {
      operandCounts[i] = in.u8();
    }
    return new LineHeader(
        version,
        offsetSize,
        addressSize,
        instructionLength,
        Math.max(1, operations),
        lineBase,
        lineRange,
        operandCounts,
        in.position(),
        program,
        end);
  }
}
