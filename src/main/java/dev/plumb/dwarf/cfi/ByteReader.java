package dev.plumb.dwarf.cfi;

import java.nio.ByteOrder;

/**
 * Reads numbers from bytes on the heap; for the JVM's C1 compiler that is much faster than native
 * memory. A read beyond the end throws {@link BadEntryException}.
 */
final class ByteReader {
  private static final int MAX_LEB_BYTES = 10;

  private final boolean big;
  private final boolean is64;
  private byte[] bytes = new byte[0];
  private int at;
  private int limit;
  private long elfAddressOfZero;

  ByteReader(ByteOrder order, boolean is64) {
    this.big = order == ByteOrder.BIG_ENDIAN;
    this.is64 = is64;
  }

  /**
   * @param elfAddressOfZero the ELF address of {@code bytes[0]}, for relative pointers
   */
  void set(byte[] bytes, int at, int limit, long elfAddressOfZero) {
    this.bytes = bytes;
    this.at = at;
    this.limit = limit;
    this.elfAddressOfZero = elfAddressOfZero;
  }

  /** Another reader for a part of the same bytes. */
  ByteReader from(int from, int end) {
    ByteReader part = new ByteReader(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN, is64);
    part.set(bytes, from, end, elfAddressOfZero);
    return part;
  }

  byte[] bytes() {
    return bytes;
  }

  int position() {
    return at;
  }

  boolean hasMore() {
    return at < limit;
  }

  /** Skips bytes; returns where they began. */
  int skip(long count) {
    if (count < 0 || count > limit - at) {
      throw BadEntryException.INSTANCE;
    }
    int from = at;
    at += (int) count;
    return from;
  }

  int u8() {
    if (at >= limit) {
      throw BadEntryException.INSTANCE;
    }
    return bytes[at++] & 0xff;
  }

  int u16() {
    int first = u8();
    int second = u8();
    return big ? first << 8 | second : second << 8 | first;
  }

  long u32() {
    long first = u16();
    long second = u16();
    return big ? first << 16 | second : second << 16 | first;
  }

  long i64() {
    long first = u32();
    long second = u32();
    return big ? first << 32 | second : second << 32 | first;
  }

  long uleb() {
    int first = u8();
    return first < 0x80 ? first : uleb(first & 0x7f);
  }

  private long uleb(long value) {
    for (int i = 1; i < MAX_LEB_BYTES; i++) {
      int next = u8();
      value |= (next & 0x7fL) << 7 * i;
      if (next < 0x80) {
        return value;
      }
    }
    throw BadEntryException.INSTANCE;
  }

  long sleb() {
    long value = 0;
    for (int i = 0; i < MAX_LEB_BYTES; i++) {
      int next = u8();
      value |= (next & 0x7fL) << 7 * i;
      if (next < 0x80) {
        int unused = 64 - 7 * (i + 1);
        return unused <= 0 ? value : value << unused >> unused;
      }
    }
    throw BadEntryException.INSTANCE;
  }

  /** A number in the format of the low half of a pointer encoding. */
  long encodedNumber(int encoding, int addressSize) {
    return switch (encoding & 0x0f) {
      case 0x0 -> address(addressSize);
      case 0x1 -> uleb();
      case 0x2 -> u16();
      case 0x3 -> u32();
      case 0x4, 0xc -> i64();
      case 0x9 -> sleb();
      case 0xa -> (short) u16();
      case 0xb -> (int) u32();
      default -> throw BadEntryException.INSTANCE;
    };
  }

  /** The size of a piece of code: never negative, although the format may be signed. */
  long encodedSize(int encoding, int addressSize) {
    return switch (encoding & 0x0f) {
      case 0xa -> u16();
      case 0xb -> u32();
      default -> encodedNumber(encoding, addressSize);
    };
  }

  /**
   * A pointer (LSB 5 section 10.5.1). On Linux, pointers to code are never relative to the text or
   * to a function, nor indirect.
   *
   * @param dataElfAddress what DW_EH_PE_datarel is relative to
   */
  long encodedPointer(int encoding, int addressSize, long dataElfAddress) {
    if (encoding == PointerEncoding.ALIGNED) {
      int word = is64 ? 8 : 4;
      skip(Math.floorMod(-(elfAddressOfZero + at), word));
      return address(word);
    }
    if ((encoding & PointerEncoding.INDIRECT) != 0) {
      throw BadEntryException.INSTANCE;
    }
    long here = elfAddressOfZero + at;
    long number = encodedNumber(encoding, addressSize);
    long value =
        switch (encoding & 0x70) {
          case PointerEncoding.ABSOLUTE -> number;
          case PointerEncoding.PC_RELATIVE -> here + number;
          case PointerEncoding.DATA_RELATIVE -> dataElfAddress + number;
          default -> throw BadEntryException.INSTANCE;
        };
    return is64 ? value : value & 0xffff_ffffL;
  }

  private long address(int size) {
    return switch (size) {
      case 2 -> u16();
      case 4 -> u32();
      case 8 -> i64();
      default -> throw BadEntryException.INSTANCE;
    };
  }
}
