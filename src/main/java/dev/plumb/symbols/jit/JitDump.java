package dev.plumb.symbols.jit;

import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import java.util.Optional;

/**
 * A jitdump file ({@code tools/perf/Documentation/jitdump-specification.txt} of Linux): which code
 * was loaded and moved, and when, and its source lines. It is read up to the last complete record,
 * and further when it has grown. The code itself is skipped.
 *
 * <p>Numbers are in the byte order of the machine that wrote the file:
 *
 * <pre>
 * file    0 u32 magic  4 u32 version  8 u32 size of this header  12 u32 machine  16 u32
 *        20 u32 pid   24 u64 time    32 u64 flags
 * record  0 u32 kind   4 u32 size, this header included   8 u64 time
 * load   16 u32 pid   20 u32 tid     24 u64 vma  32 u64 address  40 u64 code size
 *        48 u64 index 56 name, NUL, the code
 * move   16 u32 pid   20 u32 tid     24 u64 vma  32 u64 old address  40 u64 new address
 *        48 u64 code size            56 u64 index
 * </pre>
 */
final class JitDump {
  /** The part of a file that is read; most of it is code, which is skipped. */
  static final int MAX_FILE_BYTES = 1 << 30;

  static final int LOAD = 0;
  static final int LOAD_NAME = 56;

  private static final int MAGIC = 0x4a695444;
  private static final int FILE_HEADER = 40;
  private static final int MAX_FILE_HEADER = 1 << 16;
  private static final long FLAG_OWN_CLOCK = 1;

  private static final int RECORD_HEADER = 16;
  private static final int MOVE = 1;
  private static final int LINES = 2;
  private static final int CLOSE = 3;
  private static final int MOVE_SIZE = 64;
  private static final int LINES_HEADER = 32;

  private static final int MAX_NAME = 4096;

  private final int maxEntries;
  private CodeHistory code = new CodeHistory();
  private CodeNumbers numbers = new CodeNumbers();
  private boolean bigEndian;

  /** Whether times come from the processor's own counter instead of CLOCK_MONOTONIC. */
  private boolean ownClock;

  private int consumed;
  private boolean over;
  private boolean full;
  private long size;

  /** The last record of lines: the code it belongs to is loaded next. */
  private int lines;

  private long linesOf;

  JitDump(long maxBytes) {
    this.maxEntries =
        (int) Math.min(Integer.MAX_VALUE / 4, maxBytes / (CodeHistory.BYTES_PER_ENTRY + 8));
  }

  void reset() {
    code = new CodeHistory();
    numbers = new CodeNumbers();
    consumed = 0;
    over = false;
    full = false;
    lines = 0;
    linesOf = 0;
    size = 0;
  }

  void refresh(Fd file, FileIdentity now, FileWindow window) {
    if (now.size() < size) {
      reset();
    }
    size = now.size();
    if (over || full || size <= consumed) {
      return;
    }
    if (consumed == 0 && !readHeader(file, window)) {
      return;
    }
    readRecords(new JitDumpFile(file, window, bigEndian, JitDumpFile.MANY));
  }

  private boolean readHeader(Fd file, FileWindow window) {
    JitDumpFile header = new JitDumpFile(file, window, false, FILE_HEADER);
    if (!header.has(0, FILE_HEADER)) {
      return false;
    }
    bigEndian = header.i32(0) == Integer.reverseBytes(MAGIC);
    if (!bigEndian && header.i32(0) != MAGIC) {
      over = true;
      return false;
    }
    JitDumpFile ordered = new JitDumpFile(file, window, bigEndian, FILE_HEADER);
    long headerSize = ordered.has(0, FILE_HEADER) ? ordered.u32(8) : 0;
    if (headerSize < FILE_HEADER || headerSize > MAX_FILE_HEADER) {
      over = true;
      return false;
    }
    ownClock = (ordered.i64(32) & FLAG_OWN_CLOCK) != 0;
    consumed = (int) headerSize;
    return true;
  }

  private void readRecords(JitDumpFile file) {
    while (!over && file.has(consumed, RECORD_HEADER)) {
      long recordSize = file.u32(consumed + 4);
      if (recordSize < RECORD_HEADER || consumed + recordSize > MAX_FILE_BYTES) {
        over = true;
        return;
      }
      if (consumed + recordSize > size) {
        return; // still being written, or truncated
      }
      if (code.count() >= maxEntries) {
        full = true;
        return;
      }
      read(file, consumed, recordSize);
      consumed += (int) recordSize;
    }
  }

  private void read(JitDumpFile file, int at, long recordSize) {
    switch (file.i32(at)) {
      case LOAD -> {
        if (recordSize > LOAD_NAME && file.has(at, LOAD_NAME)) {
          load(file, at);
        }
      }
      case MOVE -> {
        if (recordSize >= MOVE_SIZE && file.has(at, MOVE_SIZE)) {
          move(file, at);
        }
      }
      case LINES -> {
        if (recordSize >= LINES_HEADER && file.has(at, LINES_HEADER)) {
          lines = at;
          linesOf = file.i64(at + 16);
        }
      }
      case CLOSE -> over = true;
      default -> {} // unwinding information, and what newer versions have
    }
  }

  private void load(JitDumpFile file, int at) {
    long start = file.i64(at + 32);
    long codeSize = file.i64(at + 40);
    if (!isCode(start, codeSize)) {
      return;
    }
    int known = lines != 0 && linesOf == start ? lines : 0;
    lines = 0;
    code.add(start, (int) codeSize, time(file, at), at, known, (int) file.i64(at + 48));
  }

  private void move(JitDumpFile file, int at) {
    long from = file.i64(at + 32);
    long to = file.i64(at + 40);
    int index = (int) file.i64(at + 56);
    int old = numbers.find(code, index);
    if (old < 0 || code.start(old) != from || !isCode(to, code.size(old))) {
      return;
    }
    long time = time(file, at);
    code.end(old, time);
    code.add(to, code.size(old), time, code.load(old), code.line(old), index);
  }

  private static boolean isCode(long start, long codeSize) {
    return start >= 0 && codeSize > 0 && codeSize <= Integer.MAX_VALUE && start + codeSize > 0;
  }

  /** If we do not know the clock, the order of the records counts as time. */
  private long time(JitDumpFile file, int at) {
    return ownClock ? code.count() : file.i64(at + 8);
  }

  /** The function at an address at a time; its name and line are read from the file. */
  Optional<JitFunction> at(Fd fd, FileWindow window, long processAddress, long monotonicTime) {
    int entry = code.find(processAddress, ownClock ? Long.MAX_VALUE : monotonicTime);
    if (entry < 0) {
      return Optional.empty();
    }
    JitDumpFile file = new JitDumpFile(fd, window, bigEndian, JitDumpFile.ONE);
    int load = code.load(entry);
    if (!file.has(load, LOAD_NAME) || file.i32(load) != LOAD) {
      return Optional.empty();
    }
    long loadedAt = file.i64(load + 32);
    long nameSpace = file.u32(load + 4) - LOAD_NAME;
    int most = Math.clamp(nameSpace, 0, MAX_NAME);
    int length = file.textLength(load + LOAD_NAME, most);
    boolean cut = length < 0 && nameSpace > MAX_NAME && file.has(load + LOAD_NAME, most);
    if (length <= 0 && !cut) {
      return Optional.empty(); // no name, or its end is missing: the record is damaged
    }
    String text = file.text(load + LOAD_NAME, cut ? most : length);
    JitFunction function = JitNameParser.of(text, code.start(entry), code.size(entry));
    if (code.line(entry) == 0) {
      return Optional.of(function);
    }
    long offset = processAddress - code.start(entry);
    return Optional.of(
        JitDumpLines.of(
                file, code.line(entry), loadedAt, code.size(entry), JitNameParser.isV8(text))
            .at(loadedAt + offset)
            .map(line -> function.withLine(line.file(), line.line()))
            .orElse(function));
  }

  int count() {
    return code.count();
  }

  boolean isFull() {
    return full;
  }

  long bytes() {
    return code.bytes() + numbers.bytes();
  }
}
