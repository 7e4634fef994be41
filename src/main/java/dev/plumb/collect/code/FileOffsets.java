package dev.plumb.collect.code;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Segment;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/** Converts ELF addresses to file offsets. */
public final class FileOffsets {
  private FileOffsets() {}

  /** Empty if the address is not loaded from the file. */
  public static OptionalLong of(ElfFile elf, long elfAddress) {
    for (Segment segment : elf.segments()) {
      long into = elfAddress - segment.elfAddress();
      if (segment.type() == Segment.PT_LOAD
          && into >= 0
          && Long.compareUnsigned(into, segment.memorySize()) < 0) {
        return OptionalLong.of(segment.fileOffset() + into);
      }
    }
    return OptionalLong.empty();
  }

  /** How far behind a function's entry a probe costs least. */
  public static long toCheapPlace(ElfFile elf, long elfAddress) {
    if (elf.machine() != ElfFile.EM_X86_64) {
      return 0;
    }
    for (Segment segment : elf.segments()) {
      long into = elfAddress - segment.elfAddress();
      if (segment.type() == Segment.PT_LOAD && into >= 0) {
        MemorySegment code = elf.data(segment);
        if (into < code.byteSize()) {
          return LostPages.guard(elf.name(), () -> CheapPlace.of(code.asSlice(into)));
        }
      }
    }
    return 0;
  }
}
