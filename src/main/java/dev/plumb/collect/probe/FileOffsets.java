package dev.plumb.collect.probe;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import java.util.OptionalLong;

/** Where in a file lies what has an address. */
final class FileOffsets {
  private FileOffsets() {}

  /** Empty if the address is not loaded from the file. */
  static OptionalLong of(ElfFile elf, long elfAddress) {
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
}
