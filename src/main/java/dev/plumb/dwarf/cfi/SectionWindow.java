package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfBytes;

/** A piece of a section on the heap, moved forward as the section is read. */
final class SectionWindow {
  private static final int USUAL_SIZE = 1 << 16;

  private final ElfBytes section;
  private byte[] bytes = new byte[0];
  private long start;
  private int length;

  SectionWindow(ElfBytes section) {
    this.section = section;
  }

  /** Where the bytes from {@code at} on are in {@link #bytes}; they must be in the section. */
  int locate(long at, int count) {
    if (at < start || at + count > start + length) {
      start = at;
      length = (int) Math.min(Math.max(count, USUAL_SIZE), section.size() - at);
      if (length > bytes.length) {
        bytes = new byte[length];
      }
      section.copy(at, bytes, length);
    }
    return (int) (at - start);
  }

  byte[] bytes() {
    return bytes;
  }
}
