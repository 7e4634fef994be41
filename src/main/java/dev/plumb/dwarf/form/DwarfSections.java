package dev.plumb.dwarf.form;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The sections of debug information, each empty if the file lacks it or it cannot be read. */
public final class DwarfSections {
  public static final DwarfSections NONE = new DwarfSections(ElfBytes::none, false);

  public final ElfBytes info;
  public final ElfBytes abbrev;
  public final ElfBytes str;
  public final ElfBytes line;
  public final ElfBytes lineStr;
  public final ElfBytes strOffsets;
  public final ElfBytes addr;
  public final ElfBytes ranges;
  public final ElfBytes rnglists;
  public final ElfBytes aranges;
  private final boolean bigEndian;

  private DwarfSections(Function<String, ElfBytes> finder, boolean bigEndian) {
    this.info = finder.apply("info");
    this.abbrev = finder.apply("abbrev");
    this.str = finder.apply("str");
    this.line = finder.apply("line");
    this.lineStr = finder.apply("line_str");
    this.strOffsets = finder.apply("str_offsets");
    this.addr = finder.apply("addr");
    this.ranges = finder.apply("ranges");
    this.rnglists = finder.apply("rnglists");
    this.aranges = finder.apply("aranges");
    this.bigEndian = bigEndian;
  }

  /**
   * For a file that the compiler moved a unit's entries to. Addresses and, before DWARF 5, ranges
   * stay in the file that names it.
   */
  public static DwarfSections split(ElfFile elf, DwarfSections main) {
    return split(new Finder(elf, ".dwo")::find, main);
  }

  /** The same, for sections that {@code parts} finds. */
  public static DwarfSections split(Function<String, ElfBytes> parts, DwarfSections main) {
    return new DwarfSections(
        name ->
            switch (name) {
              case "addr" -> main.addr;
              case "ranges" -> main.ranges;
              case "aranges" -> ElfBytes.none(name);
              default -> parts.apply(name);
            },
        main.bigEndian);
  }

  /** For an executable, a library, or a debug file. */
  public static DwarfSections of(ElfFile elf) {
    return new DwarfSections(new Finder(elf, "")::find, elf.order() == ByteOrder.BIG_ENDIAN);
  }

  /** The memory of the compressed sections after decompression. */
  public long decompressedBytes() {
    long bytes = 0;
    for (ElfBytes section :
        List.of(info, abbrev, str, line, lineStr, strOffsets, addr, ranges, rnglists, aranges)) {
      bytes += section.segment().isMapped() ? 0 : section.size();
    }
    return bytes;
  }

  public SectionReader reader(ElfBytes section) {
    return new SectionReader(section, bigEndian);
  }

  /** Finds sections by name, compressed or not. */
  public record Finder(ElfFile elf, String suffix) {
    public ElfBytes find(String name) {
      try {
        for (String prefix : List.of(".debug_", ".zdebug_")) {
          Optional<Section> section = elf.section(prefix + name + suffix);
          if (section.isPresent()) {
            return elf.bytes(section.get());
          }
        }
      } catch (ElfException e) {
        return ElfBytes.none(name);
      }
      return ElfBytes.none(name);
    }
  }
}
