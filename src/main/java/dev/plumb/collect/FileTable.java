package dev.plumb.collect;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.unwind.LoadedTable;
import dev.plumb.unwind.UnwindTable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The unwind table of a file, and where its code lies in it. */
final class FileTable {
  /** A file that nothing is known of, or memory without one. */
  static final FileTable NONE = new FileTable(UnwindTable.EMPTY, List.of());

  private record Code(long fileOffset, long fileSize, long elfAddress) {}

  private final UnwindTable table;
  private final List<Code> code;

  private FileTable(UnwindTable table, List<Code> code) {
    this.table = table;
    this.code = code;
  }

  static FileTable of(ElfFile elf, UnwindTable table) {
    List<Code> code = new ArrayList<>();
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_LOAD && segment.executable()) {
        code.add(new Code(segment.fileOffset(), segment.fileSize(), segment.elfAddress()));
      }
    }
    return new FileTable(table, code);
  }

  UnwindTable table() {
    return table;
  }

  boolean isEmpty() {
    return table.rows() == 0;
  }

  /** The table where the file is mapped so that {@code fileOffset} is at {@code start}. */
  LoadedTable loadedAt(long start, long fileOffset) {
    OptionalLong elfAddress = elfAddressAt(fileOffset);
    return elfAddress.isEmpty()
        ? LoadedTable.NONE
        : new LoadedTable(table, start - elfAddress.getAsLong());
  }

  /**
   * Mappings begin at pages, segments anywhere in them: the offset may be a bit before its code.
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
