package dev.plumb.symbols.jit;

import java.util.Optional;

/**
 * A record of source lines in a jitdump file. A line applies from its address to the next one.
 *
 * <pre>
 * 16 u64 address of the code  24 u64 number of entries  32 entries:
 *    0 u64 address  8 u32 line  12 u32 discriminator  16 file name, NUL
 * </pre>
 */
final class JitDumpLines {
  /** A place in the source. */
  record Line(String file, int line) {}

  private static final int ENTRIES = 32;
  private static final int ENTRY_NAME = 16;

  /** The part of a record that is read. */
  private static final int MAX_BYTES = 1 << 20;

  private static final int MAX_NAME = 4096;

  /** A name that is only this byte means the name of the entry before. */
  private static final int SAME_NAME = 0xff;

  /**
   * V8 adds the size of an ELF header to its addresses, because perf once put the code behind such
   * a header without accounting for it (fixed in Linux 5.8, "perf jit: Fix inaccurate DWARF line
   * table").
   */
  private static final int V8_SHIFT = 0x40;

  private final JitDumpFile file;
  private final int record;
  private final long codeStart;
  private final long codeSize;
  private final int shift;

  private JitDumpLines(JitDumpFile file, int record, long codeStart, long codeSize, int shift) {
    this.file = file;
    this.record = record;
    this.codeStart = codeStart;
    this.codeSize = codeSize;
    this.shift = shift;
  }

  static JitDumpLines of(JitDumpFile file, int record, long codeStart, long codeSize, boolean v8) {
    return new JitDumpLines(file, record, codeStart, codeSize, v8 ? V8_SHIFT : 0);
  }

  /**
   * The line of an address in the code, as loaded first. Empty if any entry is outside of the code:
   * then the record is damaged. Node 20 writes such records, with names from freed memory.
   */
  Optional<Line> at(long address) {
    if (!file.has(record, ENTRIES)) {
      return Optional.empty();
    }
    long end = record + Math.min(file.u32(record + 4), MAX_BYTES);
    long left = file.i64(record + 24);
    long nameAt = 0;
    long bestAddress = Long.MIN_VALUE;
    long bestName = 0;
    int bestLine = 0;
    long at = record + ENTRIES;
    for (; left > 0 && at + ENTRY_NAME < end; left--) {
      if (!file.has(at, ENTRY_NAME)) {
        return Optional.empty();
      }
      long start = file.i64(at) - shift;
      int line = file.i32(at + 8);
      if (start < codeStart || start - codeStart > codeSize) {
        return Optional.empty();
      }
      int length = file.textLength(at + ENTRY_NAME, (int) Math.min(MAX_NAME, end - at));
      if (length < 0) {
        return Optional.empty();
      }
      boolean same = length == 1 && file.u8(at + ENTRY_NAME) == SAME_NAME;
      nameAt = same ? nameAt : at + ENTRY_NAME;
      if (start <= address && start >= bestAddress) {
        bestAddress = start;
        bestLine = line;
        bestName = nameAt;
      }
      at += ENTRY_NAME + length + 1;
    }
    return line(bestName, bestLine);
  }

  private Optional<Line> line(long nameAt, int line) {
    int length = nameAt == 0 || line <= 0 ? -1 : file.textLength(nameAt, MAX_NAME);
    return length <= 0 ? Optional.empty() : Optional.of(new Line(file.text(nameAt, length), line));
  }
}
