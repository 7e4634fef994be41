package dev.plumb.elf;

import java.util.List;

/**
 * The program headers.
 *
 * <pre>
 *                64 bit  32 bit                64 bit  32 bit
 * p_type   u32      0       0     p_filesz word  32      16
 * p_flags  u32      4      24     p_memsz  word  40      20
 * p_offset word     8       4     p_align  word  48      28
 * p_vaddr  word    16       8     (end)          56      32
 * </pre>
 */
final class SegmentTable {
  /** Core files have one per mapping; more than this is damage. */
  private static final int MAX_SEGMENTS = 1 << 20;

  private SegmentTable() {}

  static List<Segment> read(ElfBytes file, ElfHeader header) {
    long count = header.segmentCount();
    if (header.segmentsOffset() == 0 || count == 0) {
      return List.of();
    }
    if (count == ElfHeader.PN_XNUM && header.sectionsOffset() != 0) {
      count = SectionTable.extendedSegmentCount(file, header);
    }
    int stride = header.segmentEntrySize();
    int least = file.is64() ? 56 : 32;
    if (stride < least) {
      throw new ElfException(
          file.what() + ": program headers of " + stride + " bytes, less than " + least);
    }
    if (count > MAX_SEGMENTS) {
      throw new ElfException(file.what() + ": " + count + " segments");
    }
    ElfBytes headers = file.slice(header.segmentsOffset(), count * stride, "program headers");
    return new HeaderList<>(
        (int) count, i -> headers.guard(() -> decode(headers, (long) i * stride)));
  }

  private static Segment decode(ElfBytes headers, long at) {
    boolean is64 = headers.is64();
    return new Segment(
        headers.i32(at),
        headers.i32(at + (is64 ? 4 : 24)),
        headers.word(at + (is64 ? 8 : 4)),
        headers.word(at + (is64 ? 16 : 8)),
        headers.word(at + (is64 ? 32 : 16)),
        headers.word(at + (is64 ? 40 : 20)),
        headers.word(at + (is64 ? 48 : 28)));
  }
}
