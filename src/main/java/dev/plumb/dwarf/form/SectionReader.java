package dev.plumb.dwarf.form;

import dev.plumb.elf.ElfBytes;

/**
 * Reads a section from any offset on. It copies bytes to the heap in pieces, which get larger the
 * longer it reads on: the JVM's C1 compiler is slow with single bytes of native memory.
 */
public final class SectionReader {
  private static final int FIRST_PIECE = 256;
  private static final int LARGEST_PIECE = 1 << 16;
  private static final byte[] NONE = {};

  private final ElfBytes section;
  private final boolean bigEndian;
  private long end;
  private byte[] piece = NONE;
  private long pieceStart;
  private int at;
  private int filled;
  private int nextPiece = FIRST_PIECE;

  public SectionReader(ElfBytes section, boolean bigEndian) {
    this.section = section;
    this.bigEndian = bigEndian;
    this.end = section.size();
  }

  public long position() {
    return pieceStart + at;
  }

  public long size() {
    return section.size();
  }

  /** Continues at {@code offset}. If it is out of range, only the next read fails. */
  public SectionReader seek(long offset) {
    long into = offset - pieceStart;
    if (into >= 0 && into <= filled) {
      at = (int) into;
    } else {
      pieceStart = offset;
      at = 0;
      filled = 0;
      nextPiece = FIRST_PIECE;
    }
    return this;
  }

  /** Makes reads at or after {@code offset} fail. */
  public SectionReader limit(long offset) {
    end = Math.max(0, Math.min(offset, section.size()));
    if (pieceStart + filled > end) {
      long position = position();
      pieceStart = position;
      at = 0;
      filled = 0;
    }
    return this;
  }

  public long limit() {
    return end;
  }

  public boolean atEnd() {
    return position() >= end;
  }

  public void skip(long bytes) {
    long left = end - position();
    if (bytes < 0 || bytes > left) {
      throw outside();
    }
    if (bytes <= filled - at) {
      at += (int) bytes;
    } else {
      pieceStart = position() + bytes;
      at = 0;
      filled = 0;
    }
  }

  public int u8() {
    if (at >= filled) {
      fill(1);
    }
    return piece[at++] & 0xff;
  }

  public int u16() {
    need(2);
    int a = piece[at] & 0xff;
    int b = piece[at + 1] & 0xff;
    at += 2;
    return bigEndian ? a << 8 | b : b << 8 | a;
  }

  int u24() {
    need(3);
    int a = piece[at] & 0xff;
    int b = piece[at + 1] & 0xff;
    int c = piece[at + 2] & 0xff;
    at += 3;
    return bigEndian ? a << 16 | b << 8 | c : c << 16 | b << 8 | a;
  }

  public long u32() {
    need(4);
    int value =
        (piece[at] & 0xff)
            | (piece[at + 1] & 0xff) << 8
            | (piece[at + 2] & 0xff) << 16
            | piece[at + 3] << 24;
    at += 4;
    return (bigEndian ? Integer.reverseBytes(value) : value) & 0xffff_ffffL;
  }

  public long u64() {
    long a = u32();
    long b = u32();
    return bigEndian ? a << 32 | b : b << 32 | a;
  }

  /** An offset of 32- or 64-bit DWARF, an address, or a constant of that many bytes. */
  public long unsigned(int bytes) {
    return switch (bytes) {
      case 1 -> u8();
      case 2 -> u16();
      case 4 -> u32();
      case 8 -> u64();
      default -> throw new DwarfException("a number of " + bytes + " bytes");
    };
  }

  public long uleb() {
    int first = u8();
    if (first < 0x80) {
      return first;
    }
    long value = first & 0x7f;
    for (int shift = 7; ; shift += 7) {
      int b = u8();
      if (shift < 64) {
        value |= (long) (b & 0x7f) << shift;
      }
      if (b < 0x80) {
        return value;
      }
    }
  }

  public long sleb() {
    long value = 0;
    int shift = 0;
    int b;
    do {
      b = u8();
      if (shift < 64) {
        value |= (long) (b & 0x7f) << shift;
      }
      shift += 7;
    } while (b >= 0x80);
    return shift < 64 && (b & 0x40) != 0 ? value | -1L << shift : value;
  }

  public void skipLeb() {
    int b;
    do {
      b = u8();
    } while (b >= 0x80);
  }

  /** Skips bytes up to and including a NUL; returns how many came before it. */
  public long skipString() {
    long start = position();
    while (true) {
      while (at < filled) {
        if (piece[at++] == 0) {
          return position() - start - 1;
        }
      }
      fill(1);
    }
  }

  private void need(int bytes) {
    if (filled - at < bytes) {
      fill(bytes);
    }
  }

  private void fill(int bytes) {
    long position = position();
    if (position < 0 || bytes > end - position) {
      throw outside();
    }
    int size = (int) Math.min(nextPiece, end - position);
    if (piece.length < size) {
      piece = new byte[size];
    }
    section.copy(position, piece, size);
    pieceStart = position;
    at = 0;
    filled = size;
    nextPiece = Math.min(LARGEST_PIECE, nextPiece * 4);
  }

  private DwarfException outside() {
    return new DwarfException("a read behind the end of a section");
  }
}
