package dev.plumb.collect.tables;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.unwind.LoadedTable;
import dev.plumb.unwind.rule.UnwindRules;
import dev.plumb.unwind.rule.UnwindTable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * The unwind table of a file, in the heap or in the kernel side's memory, and where the code of the
 * file is.
 */
final class FileTable {
  /** A file that nothing is known of, or memory without one. */
  static final FileTable NONE = new FileTable(UnwindTable.EMPTY, List.of());

  private static final int CHECKED_AT_ONCE = 1 << 16;

  private record Code(long fileOffset, long fileSize, long elfAddress) {}

  /**
   * Identifies files with equal contents, which need only one table: each container has its own
   * copy of the same libraries. The build id alone is not enough, because it is only what somebody
   * wrote into the file.
   */
  record Contents(String buildId, long frames, List<?> code) {}

  private final UnwindRules rules;
  private final List<Code> code;

  private FileTable(UnwindRules rules, List<Code> code) {
    this.rules = rules;
    this.code = code;
  }

  static FileTable of(ElfFile elf, UnwindTable table) {
    return new FileTable(table, code(elf));
  }

  /** The same without what is in the heap. */
  FileTable readFrom(KernelTable written) {
    return new FileTable(written, code);
  }

  private static List<Code> code(ElfFile elf) {
    List<Code> code = new ArrayList<>();
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_LOAD && segment.executable()) {
        code.add(new Code(segment.fileOffset(), segment.fileSize(), segment.elfAddress()));
      }
    }
    return code;
  }

  /** Empty if the file lacks what identifies it. */
  static Optional<Contents> contents(ElfFile elf) {
    Optional<Section> frames = elf.section(".eh_frame");
    if (elf.buildId().isEmpty() || frames.isEmpty()) {
      return Optional.empty();
    }
    MemorySegment bytes = elf.data(frames.get());
    long checksum = LostPages.guard(elf.name(), () -> checksum(bytes));
    return Optional.of(new Contents(elf.buildId().get(), checksum, code(elf)));
  }

  private static long checksum(MemorySegment bytes) {
    CRC32C sum = new CRC32C();
    byte[] some = new byte[CHECKED_AT_ONCE];
    for (long at = 0; at < bytes.byteSize(); at += some.length) {
      int length = (int) Math.min(some.length, bytes.byteSize() - at);
      MemorySegment.copy(bytes, JAVA_BYTE, at, some, 0, length);
      sum.update(some, 0, length);
    }
    return bytes.byteSize() << 32 ^ sum.getValue();
  }

  /** The table in the heap; the empty one if it is not there. */
  UnwindTable table() {
    return rules instanceof UnwindTable table ? table : UnwindTable.EMPTY;
  }

  boolean isEmpty() {
    return rules instanceof UnwindTable table && table.rows() == 0;
  }

  /** The table where the file is mapped so that {@code fileOffset} is at {@code start}. */
  LoadedTable loadedAt(long start, long fileOffset) {
    OptionalLong elfAddress = elfAddressAt(fileOffset);
    return elfAddress.isEmpty()
        ? LoadedTable.NONE
        : new LoadedTable(rules, start - elfAddress.getAsLong());
  }

  /**
   * Mappings begin at page boundaries, segments anywhere: the offset may be a little before the
   * code.
   */
  OptionalLong elfAddressAt(long fileOffset) {
    for (Code c : code) {
      if (fileOffset < c.fileOffset + c.fileSize && fileOffset >= (c.fileOffset & -4096)) {
        return OptionalLong.of(c.elfAddress - c.fileOffset + fileOffset);
      }
    }
    return OptionalLong.empty();
  }
}
