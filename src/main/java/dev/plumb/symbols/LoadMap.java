package dev.plumb.symbols;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * File offset → ELF address, by the PT_LOAD segments. This is what makes the load bias right: only
 * the segments say how the parts of a file lie to each other in memory.
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
   * Where a byte of the file is loaded. The kernel maps whole pages, so what shares a page with the
   * end or start of a segment is there too; a segment that really holds the byte goes first, and
   * executable ones before others.
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
