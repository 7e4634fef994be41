package dev.plumb.symbols.jit;

import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import java.util.Arrays;
import java.util.Optional;

/**
 * A perf map ({@code tools/perf/Documentation/jit-interface.txt} of Linux): where code is in
 * memory, and where in the file its line is. Compilers append a line when code moves or takes the
 * place of other code, so a later line wins; the file has no timestamps.
 *
 * <p>Never fails: malformed lines are skipped. While a file is read, this takes twice its memory.
 */
final class PerfMap {
  /** The part of a file that is read. */
  static final int MAX_FILE_BYTES = 1 << 28;

  /** The part of a line that is shown. */
  static final int MAX_LINE = 4096;

  /** How many bytes are compared to see whether a file that has grown was also rewritten. */
  private static final int TAIL = 128;

  private static final int FEW = 1024;

  private static final AddressRanges NOTHING = new AddressRanges(0);

  private final int maxSpans;
  private final PerfMapLine line = new PerfMapLine();
  private AddressRanges spans = NOTHING;

  /** Ranges that came later; laid over the others once there are enough, which copies them all. */
  private AddressRanges recent = NOTHING;

  /** The end of the last complete line read. */
  private int consumed;

  private byte[] tail = {};
  private long size;
  private long modified;
  private boolean inLongLine;
  private boolean full;

  PerfMap(long maxBytes) {
    this.maxSpans = (int) Math.min(Integer.MAX_VALUE / 4, maxBytes / AddressRanges.BYTES_PER_RANGE);
  }

  /** Forgets what was read, for another file. */
  void reset() {
    spans = NOTHING;
    recent = NOTHING;
    consumed = 0;
    tail = new byte[0];
    size = 0;
    modified = 0;
    inLongLine = false;
    full = false;
  }

  /** Reads what is new in the file since the last time, or all of it if it was rewritten. */
  void refresh(Fd file, FileIdentity now, FileWindow window, AddressRangeBatch batch) {
    if (now.size() == size && now.modifiedNanos() == modified) {
      return;
    }
    if (now.size() <= size || !tailIsSame(file, window)) {
      reset();
    }
    size = now.size();
    modified = now.modifiedNanos();
    batch.clear();
    readLines(file, window, batch);
    layOver(batch);
    spans.trim();
    recent.trim();
    keepTail(file, window);
  }

  private boolean tailIsSame(Fd file, FileWindow window) {
    int n = window.read(file, consumed - tail.length, tail.length);
    return n == tail.length && Arrays.equals(window.bytes(), 0, n, tail, 0, n);
  }

  private void keepTail(Fd file, FileWindow window) {
    int length = Math.min(TAIL, consumed);
    int n = window.read(file, consumed - length, length);
    tail = Arrays.copyOf(window.bytes(), n);
  }

  private void readLines(Fd file, FileWindow window, AddressRangeBatch batch) {
    while (!full && consumed < MAX_FILE_BYTES) {
      int n = window.read(file, consumed, FileWindow.SIZE);
      int used = takeLines(window.bytes(), n, batch);
      if (n < FileWindow.SIZE) {
        // The last line may still be written to, and is read again then. Its size is whole, because
        // a blank follows it.
        takeLine(window.bytes(), used, n, batch);
        consumed += used;
        return;
      }
      if (used == 0) {
        // A line longer than the window: its name is cut anyway.
        takeLine(window.bytes(), 0, n, batch);
        inLongLine = true;
        used = n;
      }
      consumed += used;
    }
    full = true;
  }

  /** Takes complete lines; returns how many bytes they are. */
  private int takeLines(byte[] bytes, int length, AddressRangeBatch batch) {
    int start = 0;
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n') {
        takeLine(bytes, start, i, batch);
        inLongLine = false;
        start = i + 1;
      }
    }
    return start;
  }

  private void takeLine(byte[] bytes, int from, int to, AddressRangeBatch batch) {
    if (inLongLine || !line.parse(bytes, from, Math.min(to, from + MAX_LINE))) {
      return;
    }
    if (batch.isFull()) {
      layOver(batch);
    }
    if (full) {
      return;
    }
    batch.add(line.start(), line.size(), consumed + from);
  }

  private void layOver(AddressRangeBatch batch) {
    if (batch.isEmpty()) {
      return;
    }
    if (spans.count() + 2L * (recent.count() + batch.count()) > maxSpans) {
      full = true;
      batch.clear();
      return;
    }
    recent = batch.laidOver(recent);
    if (recent.count() > spans.count() / 8 + FEW) {
      AddressRanges all = new AddressRanges(spans.count() + 2 * recent.count());
      all.addLaidOver(spans, 0, spans.count(), recent, 0, recent.count());
      spans = all;
      recent = NOTHING;
    }
  }

  /** The function at an address; its name is read from the same file. */
  Optional<JitFunction> at(Fd file, FileWindow window, long processAddress) {
    AddressRanges where = recent.find(processAddress) >= 0 ? recent : spans;
    int found = where.find(processAddress);
    if (found < 0) {
      return Optional.empty();
    }
    int n = window.read(file, where.number(found), MAX_LINE);
    byte[] bytes = window.bytes();
    int end = 0;
    while (end < n && bytes[end] != '\n') {
      end++;
    }
    // If the file was rewritten under us, better no name than a wrong one.
    return line.parse(bytes, 0, end) && line.contains(processAddress)
        ? Optional.of(JitNameParser.of(line.name(bytes, end), line.start(), line.size()))
        : Optional.empty();
  }

  /** How many ranges are kept. */
  int count() {
    return spans.count() + recent.count();
  }

  /** Whether the file has more than may be kept. */
  boolean isFull() {
    return full;
  }

  long bytes() {
    return spans.bytes() + recent.bytes() + tail.length;
  }
}
