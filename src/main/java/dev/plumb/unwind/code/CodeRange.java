package dev.plumb.unwind.code;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import java.util.Optional;

/**
 * From the first to the last byte of a file's executable segments. Descriptions of other addresses
 * are not about code: a linker that drops a function leaves its description behind, at 0.
 *
 * @param elfEnd at most 4 GB after the start, because rows have 32 bits for it
 */
public record CodeRange(long elfStart, long elfEnd) {
  private static final long MAX_SIZE = 1L << 32;

  public static CodeRange of(ElfFile elf) {
    long start = -1;
    long end = 0;
    boolean any = false;
    for (Segment segment : elf.segments()) {
      long segmentEnd = segment.elfAddress() + segment.memorySize();
      if (segment.type() != Segment.PT_LOAD
          || !segment.executable()
          || Long.compareUnsigned(segmentEnd, segment.elfAddress()) <= 0) {
        continue;
      }
      start =
          !any || Long.compareUnsigned(segment.elfAddress(), start) < 0
              ? segment.elfAddress()
              : start;
      end = !any || Long.compareUnsigned(segmentEnd, end) > 0 ? segmentEnd : end;
      any = true;
    }
    if (!any) {
      return new CodeRange(0, 0);
    }
    return new CodeRange(
        start, Long.compareUnsigned(end - start, MAX_SIZE) > 0 ? start + MAX_SIZE : end);
  }

  boolean contains(long from, long to) {
    return Long.compareUnsigned(from, elfStart) >= 0
        && Long.compareUnsigned(to, elfEnd) <= 0
        && Long.compareUnsigned(from, to) < 0;
  }

  /** Copies a piece of the code; empty if it is not in the file. */
  Optional<byte[]> bytes(ElfFile elf, long elfAddress, int size) {
    for (Segment segment : elf.segments()) {
      long into = elfAddress - segment.elfAddress();
      if (segment.type() == Segment.PT_LOAD
          && segment.executable()
          && into >= 0
          && into <= segment.fileSize() - size) {
        byte[] bytes = new byte[size];
        elf.bytes(segment).copy(into, bytes, size);
        return Optional.of(bytes);
      }
    }
    return Optional.empty();
  }

  int offset(long elfAddress) {
    return (int) (elfAddress - elfStart);
  }
}
