package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.dwarf.form.SectionReader;
import java.util.Arrays;
import java.util.Optional;

/** Runs a line program (DWARF 5, section 6.2.5) and makes a {@link LineTable}. */
final class LineProgram {
  /** Bounds the memory of one table; large units have a million. */
  private static final int MAX_ROWS = 1 << 21;

  private final CodeSpace space;
  private final SectionReader in;
  private final LineHeader header;
  private final LineFiles files;

  private long address;
  private long operation;
  private long file = 1;
  private long line = 1;

  /** The linker left this sequence's function out. */
  private boolean dead;

  /** Whether the sequence has a row yet. */
  private boolean open;

  private long sequenceStart;
  private int sequenceRow;
  private int rows;
  private int[] rowStarts = new int[256];
  private int[] rowFiles = new int[256];
  private int[] rowLines = new int[256];
  private int sequences;

  /** End in the upper half, number of the sequence in the lower. */
  private long[] keys = new long[16];

  private int[] starts = new int[16];
  private int[] firstRows = new int[16];
  private int[] lastRows = new int[16];

  private LineProgram(CodeSpace space, SectionReader in, LineHeader header, LineFiles files) {
    this.space = space;
    this.in = in;
    this.header = header;
    this.files = files;
  }

  /** The table of a unit, if it has one. */
  static Optional<LineTable> run(Unit unit, CodeSpace space) {
    DwarfSections sections = unit.file.sections;
    if (unit.lineProgram < 0) {
      return Optional.empty();
    }
    SectionReader in = sections.reader(sections.line).seek(unit.lineProgram);
    try {
      LineHeader header = LineHeader.read(in, unit.header.addressSize());
      LineFiles files = new LineFiles(unit, header, in);
      LineProgram program = new LineProgram(space, in.seek(header.program()), header, files);
      program.run();
      return Optional.of(program.table());
    } catch (DwarfException e) {
      return Optional.empty();
    }
  }

  private void run() {
    try {
      while (!in.atEnd()) {
        int opcode = in.u8();
        if (opcode >= header.operandCounts().length) {
          special(opcode - header.operandCounts().length);
        } else if (opcode == 0) {
          extended();
        } else {
          standard(opcode);
        }
      }
    } catch (DwarfException e) {
      // The sequences before it are good.
      return;
    }
  }

  private void special(int opcode) {
    int range = header.lineRange();
    advance(range == 0 ? 0 : opcode / range);
    line += range == 0 ? 0 : header.lineBase() + opcode % range;
    row();
  }

  private void advance(long operations) {
    if (header.operations() == 1) {
      address += operations * header.instructionLength();
      return;
    }
    long total = operation + operations;
    address += header.instructionLength() * Long.divideUnsigned(total, header.operations());
    operation = Long.remainderUnsigned(total, header.operations());
  }

  private void standard(int opcode) {
    switch (opcode) {
      case 1 -> row();
      case 2 -> advance(in.uleb());
      case 3 -> line += in.sleb();
      case 4 -> file = in.uleb();
      case 8 ->
          advance(
              header.lineRange() == 0
                  ? 0
                  : (255 - header.operandCounts().length) / header.lineRange());
      case 9 -> {
        address += in.u16();
        operation = 0;
      }
      default -> {
        for (int i = header.operandCounts()[opcode]; i > 0; i--) {
          in.skipLeb();
        }
      }
    }
  }

  private void extended() {
    long length = in.uleb();
    if (length == 0) {
      return;
    }
    long end = in.position() + length;
    if (length < 0 || length > in.limit() - in.position()) {
      throw new DwarfException("an instruction that is longer than its line program");
    }
    switch (in.u8()) {
      case 1 -> endSequence();
      case 2 -> setAddress(length - 1);
      case 3 -> {
        long name = in.position();
        in.skipString();
        files.addFile(in, name);
      }
      default -> {
        // Discriminators and what vendors add.
      }
    }
    in.seek(end);
  }

  private void setAddress(long size) {
    if (size != 4 && size != 8) {
      throw new DwarfException("an address of " + size + " bytes");
    }
    address = in.unsigned((int) size);
    operation = 0;
    dead = address == (size == 8 ? -1 : 0xffff_ffffL);
  }

  private void row() {
    if (dead) {
      return;
    }
    long offset = space.offset(address);
    if (!open) {
      open = true;
      sequenceStart = offset;
      sequenceRow = rows;
      dead = offset < 0;
    }
    int last = rows - 1;
    boolean first = rows == sequenceRow;
    if (offset < 0 || !first && offset < Integer.toUnsignedLong(rowStarts[last])) {
      return;
    }
    if (!first && rowFiles[last] == (int) file && rowLines[last] == (int) line) {
      return;
    }
    if (!first && offset == Integer.toUnsignedLong(rowStarts[last])) {
      // Of several rows for one address, the last one applies.
      rows--;
    }
    if (rows == rowStarts.length) {
      growRows();
    }
    rowStarts[rows] = (int) offset;
    rowFiles[rows] = (int) file;
    rowLines[rows++] = (int) line;
  }

  private void growRows() {
    if (rows == MAX_ROWS) {
      throw new DwarfException("too many lines");
    }
    rowStarts = Arrays.copyOf(rowStarts, 2 * rows);
    rowFiles = Arrays.copyOf(rowFiles, 2 * rows);
    rowLines = Arrays.copyOf(rowLines, 2 * rows);
  }

  private void endSequence() {
    // The end may be just after the code.
    long end = address - space.base();
    if (open && !dead && rows > sequenceRow && end > sequenceStart && end <= space.size()) {
      if (sequences == starts.length) {
        keys = Arrays.copyOf(keys, 2 * sequences);
        starts = Arrays.copyOf(starts, 2 * sequences);
        firstRows = Arrays.copyOf(firstRows, 2 * sequences);
        lastRows = Arrays.copyOf(lastRows, 2 * sequences);
      }
      keys[sequences] = end << 32 | sequences;
      starts[sequences] = (int) sequenceStart;
      firstRows[sequences] = sequenceRow;
      lastRows[sequences++] = rows;
    } else {
      rows = Math.min(rows, open ? sequenceRow : rows);
    }
    address = 0;
    operation = 0;
    file = 1;
    line = 1;
    dead = false;
    open = false;
  }

  private LineTable table() {
    Arrays.sort(keys, 0, sequences);
    int[] ends = new int[sequences];
    int[] sortedStarts = new int[sequences];
    int[] sortedFirsts = new int[sequences];
    int[] sortedLasts = new int[sequences];
    for (int i = 0; i < sequences; i++) {
      int number = (int) keys[i];
      ends[i] = (int) (keys[i] >>> 32);
      sortedStarts[i] = starts[number];
      sortedFirsts[i] = firstRows[number];
      sortedLasts[i] = lastRows[number];
    }
    return new LineTable(
        ends,
        sortedStarts,
        sortedFirsts,
        sortedLasts,
        Arrays.copyOf(rowStarts, rows),
        Arrays.copyOf(rowFiles, rows),
        Arrays.copyOf(rowLines, rows),
        files);
  }
}
