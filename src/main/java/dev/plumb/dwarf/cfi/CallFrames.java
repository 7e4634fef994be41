package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.util.Optional;

/**
 * Reads the call-frame information of a linked file, function by function and row by row, and keeps
 * none of it. It fails only if the file is truncated meanwhile ({@link ElfException}).
 */
public final class CallFrames {

  private CallFrames() {}

  /** Visits the functions in .eh_frame, which stripped files have too. */
  public static FrameCounts forEachOfEhFrame(ElfFile elf, FrameVisitor visitor) {
    Optional<Section> section = section(elf, ".eh_frame");
    if (section.isPresent()) {
      long elfAddress = section.get().elfAddress();
      return walk(elf, elf.bytes(section.get()), true, elfAddress, Long.MAX_VALUE, visitor);
    }
    return LostPages.guard(elf.name(), () -> EhFrameHeader.find(elf))
        .map(h -> walk(elf, h.bytes(), true, h.elfAddress(), h.functions(), visitor))
        .orElse(FrameCounts.NONE);
  }

  /** Visits the functions in .debug_frame, compressed or not. */
  public static FrameCounts forEachOfDebugFrame(ElfFile elf, FrameVisitor visitor) {
    return debugFrame(elf)
        .map(s -> walk(elf, elf.bytes(s), false, 0, Long.MAX_VALUE, visitor))
        .orElse(FrameCounts.NONE);
  }

  /** The size of .eh_frame; 0 if there is none. */
  public static long ehFrameBytes(ElfFile elf) {
    return section(elf, ".eh_frame").map(Section::size).orElse(0L);
  }

  /** The size of .debug_frame as it is stored; 0 if there is none. */
  public static long debugFrameBytes(ElfFile elf) {
    return debugFrame(elf).map(Section::size).orElse(0L);
  }

  private static Optional<Section> debugFrame(ElfFile elf) {
    return section(elf, ".debug_frame").or(() -> section(elf, ".zdebug_frame"));
  }

  /** Visits both, .eh_frame first: functions may come twice. */
  public static FrameCounts forEach(ElfFile elf, FrameVisitor visitor) {
    return forEachOfEhFrame(elf, visitor).plus(forEachOfDebugFrame(elf, visitor));
  }

  private static FrameCounts walk(
      ElfFile elf,
      ElfBytes bytes,
      boolean inEhFrame,
      long elfAddress,
      long mostFunctions,
      FrameVisitor visitor) {
    return LostPages.guard(
        elf.name(),
        () ->
            new FrameSection(bytes, inEhFrame, elfAddress, elf.order(), mostFunctions, visitor)
                .walk());
  }

  /** Empty if there is no such section, none with bytes in this file, or none that can be read. */
  private static Optional<Section> section(ElfFile elf, String name) {
    try {
      return elf.section(name).filter(s -> elf.bytes(s).size() != 0);
    } catch (ElfException e) {
      return Optional.empty();
    }
  }
}
