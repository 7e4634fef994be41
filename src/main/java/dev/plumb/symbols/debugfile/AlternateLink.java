package dev.plumb.symbols.debugfile;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The section {@code .gnu_debugaltlink}: the path of the file that dwz moved common debug
 * information to, and that file's build id.
 */
record AlternateLink(String path, String buildId) {
  private static final int MAX_PATH = 4095;
  private static final int MAX_BUILD_ID = 64;

  /** Empty if there is none or it is damaged. */
  static Optional<AlternateLink> of(ElfFile elf) {
    try {
      Optional<Section> section = elf.section(".gnu_debugaltlink");
      return section.isEmpty()
          ? Optional.empty()
          : LostPages.guard(elf.name(), () -> read(elf.bytes(section.get())));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private static Optional<AlternateLink> read(ElfBytes bytes) {
    long nul = 0;
    while (nul <= MAX_PATH && bytes.u8(nul) != 0) {
      nul++;
    }
    long length = bytes.size() - nul - 1;
    if (nul == 0 || nul > MAX_PATH || length < 2 || length > MAX_BUILD_ID) {
      return Optional.empty();
    }
    byte[] id = new byte[(int) length];
    for (int i = 0; i < id.length; i++) {
      id[i] = (byte) bytes.u8(nul + 1 + i);
    }
    return Optional.of(new AlternateLink(bytes.string(0), HexFormat.of().formatHex(id)));
  }

  /** The last part of the path. */
  String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
