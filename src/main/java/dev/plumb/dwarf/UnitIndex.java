package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.SectionReader;
import dev.plumb.dwarf.form.UnitHeader;

/**
 * Address → unit: from {@code .debug_aranges} for the units in it, from their own entries for the
 * others. Where units overlap, the first one wins.
 */
final class UnitIndex {
  /** Limits the memory: 20 bytes per range while it is made, 8 per range and per gap afterwards. */
  private static final int MAX_RANGES = 1 << 20;

  private final Spans spans;

  UnitIndex(Spans spans) {
    this.spans = spans;
  }

  static UnitIndex of(DwarfFile file, CodeSpace space) {
    SpanBuilder builder = new SpanBuilder(space, MAX_RANGES);
    boolean[] seen = new boolean[file.unitCount()];
    readAranges(file, builder, seen);
    long most = RangeLists.most(file.sections);
    RangeVisitor visitor = new RangeVisitor(builder);
    RangeLists lists = new RangeLists(visitor, most);
    for (int i = 0; i < seen.length; i++) {
      if (!seen[i]) {
        visitor.unit = i;
        try {
          file.unitOnce(i).ranges(lists);
        } catch (DwarfException e) {
          // The code of this unit is not found; that of the others is.
          continue;
        }
      }
    }
    return new UnitIndex(builder.build());
  }

  /** The unit whose code is at an offset, or -1. */
  int find(long offset) {
    int value = spans.find(offset);
    return value < 0 ? -1 : unit(value);
  }

  Spans spans() {
    return spans;
  }

  long bytes() {
    return spans.bytes();
  }

  /** Whether a number in the spans stands for one of {@code units} units. */
  static boolean isUnit(int value, int units) {
    return value >= 0 && unit(value) < units;
  }

  /** In spans the largest number wins, but here the first unit should. */
  private static int unit(int value) {
    return Integer.MAX_VALUE - value;
  }

  private static final class RangeVisitor implements RangeLists.Visitor {
    private final SpanBuilder builder;
    private int unit;

    RangeVisitor(SpanBuilder builder) {
      this.builder = builder;
    }

    @Override
    public void range(long low, long high) {
      builder.add(low, high, unit(unit), 0);
    }
  }

  /**
   * Sets of {length, u16 version, debug_info_offset, u8 address_size, u8 segment_selector_size},
   * padded to the size of a pair; then pairs of address and length.
   */
  private static void readAranges(DwarfFile file, SpanBuilder builder, boolean[] seen) {
    SectionReader in = file.sections.reader(file.sections.aranges);
    try {
      while (!in.atEnd()) {
        long start = in.position();
        long length = in.u32();
        int offsetSize = 4;
        if (length == UnitHeader.LONG_LENGTH) {
          length = in.u64();
          offsetSize = 8;
        }
        if (length < 0 || length > in.size() - in.position()) {
          return;
        }
        long end = in.position() + length;
        readSet(file, in, start, end, offsetSize, builder, seen);
        in.seek(end);
      }
    } catch (DwarfException e) {
      // For the rest there are the units' own entries.
      return;
    }
  }

  private static void readSet(
      DwarfFile file,
      SectionReader in,
      long start,
      long end,
      int offsetSize,
      SpanBuilder builder,
      boolean[] seen) {
    int version = in.u16();
    int unit = file.unitStartingAt(in.unsigned(offsetSize));
    int size = in.u8();
    int selector = in.u8();
    if (version != 2 || unit < 0 || size != 4 && size != 8 || selector != 0) {
      return;
    }
    long headerSize = in.position() - start;
    in.skip(Math.floorMod(-headerSize, 2 * size));
    while (end - in.position() >= 2 * size) {
      long low = in.unsigned(size);
      long length = in.unsigned(size);
      if (length != 0) {
        seen[unit] = true;
        builder.add(low, low + length, unit(unit), 0);
      }
    }
  }
}
