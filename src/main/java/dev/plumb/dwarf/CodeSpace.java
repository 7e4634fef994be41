package dev.plumb.dwarf;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;

/**
 * The range of a file's code: addresses are kept as 32-bit offsets from its start. An address
 * outside is not code, such as the 0 that linkers give to functions which they left out.
 *
 * @param base the lowest ELF address of code
 * @param size at most 4 GiB
 */
record CodeSpace(long base, long size) {
  static final CodeSpace NONE = new CodeSpace(0, 0);

  private static final long MOST = 0xffff_fff0L;

  static CodeSpace of(ElfFile elf) {
    long start = -1;
    long end = 0;
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_LOAD && segment.executable()) {
        start =
            Long.compareUnsigned(segment.elfAddress(), start) < 0 ? segment.elfAddress() : start;
        long behind = segment.elfAddress() + segment.memorySize();
        end = Long.compareUnsigned(behind, end) > 0 ? behind : end;
      }
    }
    long size = end - start;
    if (start == -1 || Long.compareUnsigned(end, start) <= 0) {
      return new CodeSpace(0, MOST);
    }
    // Some files are linked at 0, where the file's header is.
    return new CodeSpace(start == 0 ? 1 : start, size < 0 ? MOST : Math.min(size, MOST));
  }

  /** The offset of an address from the start, or -1 if it is outside. */
  long offset(long elfAddress) {
    long offset = elfAddress - base;
    return offset < 0 || offset >= size ? -1 : offset;
  }
}
