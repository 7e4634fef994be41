package dev.plumb.symbols.debugfile;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.util.Optional;

/**
 * The section {@code .gnu_debuglink}: a file's name, padded to four bytes, and the CRC-32 of its
 * content, in the file's byte order (gdb's manual, "Separate Debug Files").
 */
record DebugLink(String fileName, int crc) {
  private static final int MAX_NAME = 255;

  /** Empty if there is none or it is damaged. */
  static Optional<DebugLink> of(ElfFile elf) {
    try {
      Optional<Section> section = elf.section(".gnu_debuglink");
      return section.isEmpty()
          ? Optional.empty()
          : LostPages.guard(elf.name(), () -> read(elf.bytes(section.get())));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private static Optional<DebugLink> read(ElfBytes bytes) {
    String name = bytes.string(0);
    if (!isPlain(name)) {
      return Optional.empty();
    }
    long crcAt = bytes.size() - 4;
    return crcAt < 0 || crcAt % 4 != 0
        ? Optional.empty()
        : Optional.of(new DebugLink(name, bytes.i32(crcAt)));
  }

  /** A name that leads to another folder is not plain. */
  private static boolean isPlain(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME
        && name.indexOf('/') < 0
        && !name.equals(".")
        && !name.equals("..");
  }
}
