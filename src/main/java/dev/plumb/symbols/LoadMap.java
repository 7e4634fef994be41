package dev.plumb.symbols;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * File offset → ELF address, by the PT_LOAD segments. Only the segments say where the parts of a
 * file are in memory relative to each other; without them the load bias would be wrong.
 */
final class LoadMap {
  static final LoadMap EMPTY = new LoadMap(List.of());

  /** More than any linker makes; a file with more is damaged. */
  private static final int MAX_SEGMENTS = 1024;

  private static final long PAGE_MASK = 0xfff;

  private final List<Segment> loads;

  private LoadMap(List<Segment> loads) {
    this.loads = loads;
  }

  static LoadMap of(ElfFile elf) {
    List<Segment> executable = new ArrayList<>();
    List<Segment> other = new ArrayList<>();
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_LOAD && segment.fileSize() != 0) {
        (segment.executable() ? executable : other).add(segment);
      }
      if (executable.size() + other.size() > MAX_SEGMENTS) {
        throw new ElfException(elf.name() + ": more than " + MAX_SEGMENTS + " segments to load");
      }
    }
    executable.addAll(other);
    return new LoadMap(List.copyOf(executable));
  }

  /**
   * Where a byte of the file is loaded. The kernel maps whole pages, so the bytes that share a page
   * with the start or end of a segment are loaded too. A segment that contains the byte itself goes
   * first; among several, executable ones do.
   */
  OptionalLong elfAddress(long fileOffset) {
    for (Segment s : loads) {
      if (fileOffset >= s.fileOffset() && fileOffset - s.fileOffset() < s.fileSize()) {
        return OptionalLong.of(fileOffset - s.fileOffset() + s.elfAddress());
      }
    }
    for (Segment s : loads) {
      long start = s.fileOffset() & ~PAGE_MASK;
      long end = (s.fileOffset() + s.fileSize() + PAGE_MASK) & ~PAGE_MASK;
      if (fileOffset >= start && fileOffset < end) {
        return OptionalLong.of(fileOffset - s.fileOffset() + s.elfAddress());
      }
    }
    return OptionalLong.empty();
  }
}
