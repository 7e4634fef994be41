package dev.plumb.symbols.go;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import java.util.Optional;

/**
 * The table of functions and lines.
 *
 * <pre>
 *  u32 magic, u8 0, u8 0, u8 quantum, u8 word size, then words:
 *  nfunc, nfiles, (from 1.18 on: text start,) offsets of names, units, files, pc tables, functions
 * </pre>
 *
 * Functions are pairs of entry and offset of _func, by ascending entry, then the end of the last.
 */
final class PclnTable {
  private static final int HEADER = 8;

  /** How much of the encoded tables is read per address: damaged ones may be endless. */
  private static final int MAX_PC_BYTES = 1 << 22;

  private static final int PIECE = 256;

  private final ElfBytes bytes;
  private final PclnVersion version;
  private final int quantum;
  private final int word;
  private final long count;
  private final long textStart;
  private final ElfBytes names;
  private final ElfBytes units;
  private final ElfBytes files;
  private final ElfBytes pcTables;
  private final ElfBytes functions;
  private long pcBytesLeft;

  private PclnTable(ElfBytes bytes, PclnVersion version) {
    this.bytes = bytes;
    this.version = version;
    this.quantum = bytes.u8(6);
    this.word = bytes.u8(7);
    this.count = wordAt(0);
    this.textStart = version.relative() ? wordAt(2) : 0;
    int first = version.relative() ? 3 : 2;
    this.names = part(wordAt(first), "names");
    this.units = part(wordAt(first + 1), "units");
    this.files = part(wordAt(first + 2), "files");
    this.pcTables = part(wordAt(first + 3), "pc tables");
    this.functions = part(wordAt(first + 4), "functions");
    if (count <= 0 || count >= functions.size() / (2 * entrySize())) {
      throw new ElfException("Go's table: " + count + " functions");
    }
  }

  /** Empty if these bytes are not such a table. */
  static Optional<PclnTable> read(ElfBytes bytes) {
    try {
      boolean plausible =
          bytes.size() > HEADER + 8 * 8
              && bytes.u16(4) == 0
              && (bytes.u8(6) == 1 || bytes.u8(6) == 2 || bytes.u8(6) == 4)
              && (bytes.u8(7) == 4 || bytes.u8(7) == 8);
      return plausible
          ? PclnVersion.of(bytes.u32(0)).map(version -> new PclnTable(bytes, version))
          : Optional.empty();
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  /** Call this before looking up another address. */
  void startLookup() {
    pcBytesLeft = MAX_PC_BYTES;
  }

  private long wordAt(int index) {
    long at = HEADER + (long) index * word;
    return word == 8 ? bytes.i64(at) : bytes.u32(at);
  }

  private ElfBytes part(long offset, String what) {
    return bytes.slice(offset, bytes.size() - offset, what);
  }

  PclnVersion version() {
    return version;
  }

  /** Where the code starts, by the header; 0 if it does not say. */
  long textStart() {
    return textStart;
  }

  private int entrySize() {
    return version.relative() ? 4 : word;
  }

  /** Where a function starts: an offset from the start of the code; before Go 1.18, an address. */
  long entry(long function) {
    long at = function * 2 * entrySize();
    return entrySize() == 8 ? functions.i64(at) : functions.u32(at);
  }

  /** Where the last function ends. */
  long end() {
    return entry(count);
  }

  /** The number of the function at such a place, or -1. */
  long find(long place) {
    if (place < entry(0) || place >= end()) {
      return -1;
    }
    long low = 0;
    long high = count - 1;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (entry(middle) <= place) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The offset of the function's _func in {@link #functions}. */
  long description(long function) {
    long at = function * 2 * entrySize() + entrySize();
    return entrySize() == 8 ? functions.i64(at) : functions.u32(at);
  }

  /** A number of _func: 0 nameOff, 4 pcfile, 5 pcln, 6 npcdata, 7 cuOffset. */
  private long field(long description, int index) {
    return functions.u32(description + entrySize() + 4L * index);
  }

  String name(long nameOffset) {
    return names.string(nameOffset);
  }

  String functionName(long description) {
    return name(field(description, 0));
  }

  String file(long description, long place) {
    long number = value(field(description, 4), description, place);
    if (number < 0) {
      return "";
    }
    long offset = units.u32(4 * (field(description, 7) + number));
    return offset == 0xffff_ffffL ? "" : files.string(offset);
  }

  int line(long description, long place) {
    return Math.max(0, value(field(description, 5), description, place));
  }

  /**
   * The value at a place in one of the function's pc tables, such as the number of an inlined call.
   */
  int data(long description, int index, long place) {
    long tables = field(description, 6);
    if (index >= tables) {
      return -1;
    }
    long at = description + version.functionSize(entrySize()) + 4L * index;
    return value(functions.u32(at), description, place);
  }

  /** The offset of one of the function's funcdata, or -1. */
  long functionData(long description, int index) {
    int size = version.functionSize(entrySize());
    if (index >= functions.u8(description + size - 1)) {
      return -1;
    }
    long at = description + size + 4 * (field(description, 6) + index);
    long offset = functions.u32(at);
    return offset == 0xffff_ffffL ? -1 : offset;
  }

  /** Where the described function starts. */
  long entryOf(long description) {
    return entrySize() == 8 ? functions.i64(description) : functions.u32(description);
  }

  /**
   * The value at a place. The table is pairs of differences: of the value (zigzag), and of the
   * place in quanta. A value difference of 0 ends it, except in the first pair. Values start at -1.
   */
  private int value(long table, long description, long place) {
    if (table == 0) {
      return -1;
    }
    PcReader in = new PcReader(table);
    long at = entryOf(description);
    int value = -1;
    for (boolean first = true; ; first = false) {
      int difference = in.varint();
      if (difference == 0 && !first) {
        return -1;
      }
      value += -(difference & 1) ^ difference >>> 1;
      at += Integer.toUnsignedLong(in.varint()) * quantum;
      if (place < at) {
        return value;
      }
    }
  }

  /** Reads such a table piece by piece. */
  private final class PcReader {
    private final byte[] piece = new byte[PIECE];
    private long next;
    private int filled;
    private int at;

    PcReader(long table) {
      this.next = table;
    }

    int varint() {
      int value = 0;
      for (int shift = 0; ; shift += 7) {
        int b = next();
        value |= shift < 32 ? (b & 0x7f) << shift : 0;
        if (b >= 0) {
          return value;
        }
      }
    }

    private byte next() {
      if (at == filled) {
        filled = (int) Math.min(PIECE, Math.min(pcBytesLeft, pcTables.size() - next));
        if (filled <= 0) {
          throw new ElfException("Go's table: a pc table does not end");
        }
        pcTables.copy(next, piece, filled);
        next += filled;
        pcBytesLeft -= filled;
        at = 0;
      }
      return piece[at++];
    }
  }
}
