package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfBytes;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Caches the common entries used last. Files have a handful. A file that uses many in turn must
 * neither fill the memory nor take forever, so the number of bytes to read is limited.
 */
final class CommonEntries {
  private static final int KEPT = 16;
  private static final long LEAST_BUDGET = 1 << 20;

  private final ElfBytes section;
  private final boolean inEhFrame;
  private final long elfAddress;
  private final ByteOrder order;
  private final long[] offsets = new long[KEPT];
  private final CommonEntry[] entries = new CommonEntry[KEPT];
  private int oldest;
  private int last;
  private long budget;

  CommonEntries(ElfBytes section, boolean inEhFrame, long elfAddress, ByteOrder order) {
    this.section = section;
    this.inEhFrame = inEhFrame;
    this.elfAddress = elfAddress;
    this.order = order;
    this.budget = LEAST_BUDGET + 4 * section.size();
    Arrays.fill(offsets, -1);
  }

  /** {@link CommonEntry#NONE} if there is no good one. */
  CommonEntry at(long offset) {
    if (offset < 0) {
      return CommonEntry.NONE;
    }
    if (offsets[last] == offset) {
      return entries[last];
    }
    for (int i = 0; i < KEPT; i++) {
      if (offsets[i] == offset) {
        last = i;
        return entries[i];
      }
    }
    if (budget < 0) {
      return CommonEntry.NONE;
    }
    CommonEntry entry = CommonEntry.read(section, offset, inEhFrame, elfAddress, order);
    budget -= 64 + entry.bytes().length;
    last = oldest;
    oldest = (oldest + 1) % KEPT;
    offsets[last] = offset;
    entries[last] = entry;
    return entry;
  }
}
