package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfBytes;
import java.nio.ByteOrder;

/**
 * Walks through the entries of a section.
 *
 * <pre>
 * u32 length, or 0xffffffff and u64 length
 * u32 (.debug_frame with u64 length: u64) the common entry: in .eh_frame the distance back to it,
 *     0 if this is one itself; in .debug_frame its offset, all ones if this is one itself
 * (segment selector) start and size of the code, encoded as the common entry says
 * (z: uleb length, data)
 * instructions
 * </pre>
 */
final class FrameSection {
  /** The largest description of one function; real ones reach some tens of kilobytes. */
  private static final int MAX_ENTRY = 1 << 20;

  private final ElfBytes section;
  private final boolean inEhFrame;
  private final long elfAddress;
  private final long mostFunctions;
  private final SectionWindow window;
  private final CommonEntries commons;
  private final ByteReader reader;
  private final FrameVisitor visitor;
  private final FrameProgram program = new FrameProgram(new FrameRow());
  private long functions;
  private long badEntries;
  private boolean cut;

  /**
   * @param elfAddress where the section is loaded
   * @param mostFunctions the section ends after so many, or at an entry of length 0; {@link
   *     Long#MAX_VALUE}: it ends with its bytes
   */
  FrameSection(
      ElfBytes section,
      boolean inEhFrame,
      long elfAddress,
      ByteOrder order,
      long mostFunctions,
      FrameVisitor visitor) {
    this.section = section;
    this.inEhFrame = inEhFrame;
    this.elfAddress = elfAddress;
    this.mostFunctions = mostFunctions;
    this.window = new SectionWindow(section);
    this.commons = new CommonEntries(section, inEhFrame, elfAddress, order);
    this.reader = new ByteReader(order, section.is64());
    this.visitor = visitor;
  }

  FrameCounts walk() {
    long size = section.size();
    long at = 0;
    while (size - at >= 4 && functions < mostFunctions) {
      place(at, 4, 0);
      long length = reader.u32();
      if (length == 0) {
        if (mostFunctions != Long.MAX_VALUE) {
          break;
        }
        // Linkers keep the terminators of the input sections: the section goes on after them.
        at += 4;
        continue;
      }
      int header = 4;
      if (length == 0xffff_ffffL && size - at >= 12) {
        place(at, 12, 4);
        length = reader.i64();
        header = 12;
      }
      if (length < 0 || length > size - at - header) {
        cut = true;
        break;
      }
      entry(at, header, length);
      at += header + length;
    }
    return new FrameCounts(functions, badEntries, cut);
  }

  private void place(long at, int count, int skipped) {
    int index = window.locate(at, count);
    reader.set(window.bytes(), index + skipped, index + count, elfAddress + at - index);
  }

  private void entry(long at, int header, long length) {
    if (length > MAX_ENTRY) {
      badEntries++;
      return;
    }
    place(at, header + (int) length, header);
    try {
      boolean wide = header == 12 && !inEhFrame;
      long id = wide ? reader.i64() : reader.u32();
      if (id == (inEhFrame ? 0 : wide ? -1L : 0xffff_ffffL)) {
        return;
      }
      functions++;
      function(commons.at(inEhFrame ? at + header - id : id));
    } catch (BadEntryException e) {
      badEntries++;
    }
  }

  private void function(CommonEntry common) {
    if (!common.good()) {
      throw BadEntryException.INSTANCE;
    }
    reader.skip(common.segmentSize());
    int encoding = common.encoding();
    long elfStart = reader.encodedPointer(encoding, common.addressSize(), 0);
    long length = reader.encodedSize(encoding, common.addressSize());
    long elfEnd = elfStart + length;
    if (length < 0 || Long.compareUnsigned(elfEnd, elfStart) < 0) {
      throw BadEntryException.INSTANCE;
    }
    if (length == 0) {
      return;
    }
    if (common.augmented()) {
      reader.skip(reader.uleb());
    }
    if (!visitor.function(elfStart, elfEnd)) {
      return;
    }
    boolean whole = false;
    try {
      program.run(common, reader, elfStart, elfEnd, visitor);
      whole = true;
    } finally {
      visitor.end(whole);
    }
  }
}
