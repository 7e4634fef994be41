package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import java.util.Optional;

/**
 * Finds the .eh_frame of a file without section headers, as the program itself does when it throws
 * an exception: by .eh_frame_hdr, which has a segment of its own.
 *
 * <pre>
 * u8 version 1   u8 encoding of the pointer, u8 of the count, u8 of the table   pointer   count  …
 * </pre>
 *
 * @param bytes from the start of .eh_frame to the end of its segment, because its own end is not
 *     known
 * @param functions how many it describes, if known; else a large number
 */
record EhFrameHeader(ElfBytes bytes, long elfAddress, long functions) {
  /** Enough for the fixed part in any encoding. */
  private static final int HEADER = 64;

  private static final long UNKNOWN = Long.MAX_VALUE - 1;

  static Optional<EhFrameHeader> find(ElfFile elf) {
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_GNU_EH_FRAME) {
        try {
          return read(elf, segment);
        } catch (ElfException | BadEntryException e) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<EhFrameHeader> read(ElfFile elf, Segment segment) {
    ElfBytes stored = elf.bytes(segment);
    byte[] header = new byte[(int) Math.min(HEADER, stored.size())];
    stored.copy(0, header, header.length);
    ByteReader reader = new ByteReader(elf.order(), elf.is64());
    reader.set(header, 0, header.length, segment.elfAddress());
    int word = elf.is64() ? 8 : 4;
    if (reader.u8() != 1) {
      return Optional.empty();
    }
    int pointerEncoding = reader.u8();
    int countEncoding = reader.u8();
    reader.u8();
    if (pointerEncoding == PointerEncoding.OMITTED) {
      return Optional.empty();
    }
    long elfAddress = reader.encodedPointer(pointerEncoding, word, segment.elfAddress());
    long functions = UNKNOWN;
    if (countEncoding != PointerEncoding.OMITTED) {
      functions = reader.encodedPointer(countEncoding, word, segment.elfAddress());
      if (functions < 0) {
        return Optional.empty();
      }
    }
    return bytes(elf, elfAddress, functions);
  }

  private static Optional<EhFrameHeader> bytes(ElfFile elf, long elfAddress, long functions) {
    for (Segment load : elf.segments()) {
      long into = elfAddress - load.elfAddress();
      if (load.type() == Segment.PT_LOAD && into >= 0 && into < load.fileSize()) {
        ElfBytes bytes = elf.bytes(load);
        return Optional.of(
            new EhFrameHeader(
                bytes.slice(into, bytes.size() - into, ".eh_frame"), elfAddress, functions));
      }
    }
    return Optional.empty();
  }
}
