package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.SectionReader;
import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The link to the file that dwz made of what several files have in common.
 *
 * @param path absolute, or relative to the folder of the file that names it
 * @param buildId in hex
 */
public record AlternateLink(String path, String buildId) {
  /** In bytes, more than any build id or checksum has. */
  private static final int MAX_ID = 64;

  /** Empty if the file has none, or it cannot be read. */
  public static Optional<AlternateLink> of(ElfFile elf) {
    try {
      Optional<Section> gnu = elf.section(".gnu_debugaltlink");
      if (gnu.isPresent()) {
        return Optional.of(LostPages.guard(elf.name(), () -> gnu(elf.bytes(gnu.get()))));
      }
      Optional<Section> standard = elf.section(".debug_sup");
      return standard.flatMap(s -> LostPages.guard(elf.name(), () -> standard(elf, s)));
    } catch (ElfException | DwarfException e) {
      return Optional.empty();
    }
  }

  /** The path, a NUL, the build id. */
  private static AlternateLink gnu(ElfBytes bytes) {
    SectionReader in = new SectionReader(bytes, false);
    in.skipString();
    return new AlternateLink(bytes.string(0), id(bytes, in.position(), bytes.size()));
  }

  /** DWARF 5, section 7.3.6: u16 version, u8 is_supplementary, path, length, checksum. */
  private static Optional<AlternateLink> standard(ElfFile elf, Section section) {
    ElfBytes bytes = elf.bytes(section);
    SectionReader in = new SectionReader(bytes, elf.order() == ByteOrder.BIG_ENDIAN);
    in.u16();
    if (in.u8() != 0) {
      return Optional.empty();
    }
    String path = bytes.string(in.position());
    in.skipString();
    long length = in.uleb();
    if (length < 0 || length > in.size() - in.position()) {
      return Optional.empty();
    }
    return Optional.of(new AlternateLink(path, id(bytes, in.position(), in.position() + length)));
  }

  private static String id(ElfBytes bytes, long from, long to) {
    byte[] id = new byte[(int) Math.min(MAX_ID, to - from)];
    bytes.copy(from, id, id.length);
    return HexFormat.of().formatHex(id);
  }
}
