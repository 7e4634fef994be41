package dev.plumb.elf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Bytes of an ELF file, read in its byte order and word size. A read outside of them throws {@link
 * ElfException}. Read many at once within {@link LostPages#guard}, because the file may be
 * truncated while it is mapped.
 */
public final class ElfBytes {
  /** The longest name that is read; a longer one counts as damage. */
  public static final int MAX_STRING = 1 << 19;

  private static final ValueLayout.OfInt SWAPPED_INT =
      JAVA_INT_UNALIGNED.withOrder(
          ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
              ? ByteOrder.BIG_ENDIAN
              : ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment segment;
  private final boolean is64;
  private final boolean swap;
  private final String what;

  ElfBytes(MemorySegment segment, boolean is64, ByteOrder order, String what) {
    this(segment, is64, order != ByteOrder.nativeOrder(), what);
  }

  private ElfBytes(MemorySegment segment, boolean is64, boolean swap, String what) {
    this.segment = segment;
    this.is64 = is64;
    this.swap = swap;
    this.what = what;
  }

  /** No bytes; stands for a missing section. */
  public static ElfBytes none(String what) {
    return new ElfBytes(MemorySegment.ofArray(new byte[0]), true, false, what);
  }

  public long size() {
    return segment.byteSize();
  }

  public MemorySegment segment() {
    return segment;
  }

  /** Whether a word has 8 bytes; else it has 4. */
  public boolean is64() {
    return is64;
  }

  public int u8(long at) {
    check(at, 1);
    return segment.get(JAVA_BYTE, at) & 0xff;
  }

  public int u16(long at) {
    check(at, 2);
    short value = segment.get(JAVA_SHORT_UNALIGNED, at);
    return (swap ? Short.reverseBytes(value) : value) & 0xffff;
  }

  public int i32(long at) {
    check(at, 4);
    int value = segment.get(JAVA_INT_UNALIGNED, at);
    return swap ? Integer.reverseBytes(value) : value;
  }

  public long u32(long at) {
    return i32(at) & 0xffff_ffffL;
  }

  public long i64(long at) {
    check(at, 8);
    long value = segment.get(JAVA_LONG_UNALIGNED, at);
    return swap ? Long.reverseBytes(value) : value;
  }

  /** An address or size: 8 bytes in a 64-bit file; 4 bytes, zero-extended, in a 32-bit file. */
  public long word(long at) {
    return is64 ? i64(at) : u32(at);
  }

  /** The bytes at and after {@code at} up to a NUL, as UTF-8. */
  public String string(long at) {
    check(at, 1);
    // Copied to the heap piece by piece: the JVM's C1 compiler is slow with single bytes of native
    // memory.
    for (int piece = 128; ; piece *= 8) {
      byte[] bytes = new byte[(int) Math.min(piece, size() - at)];
      copy(at, bytes, bytes.length);
      int length = 0;
      while (length < bytes.length && bytes[length] != 0) {
        length++;
      }
      if (length < bytes.length) {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
      }
      if (bytes.length < piece || piece >= MAX_STRING) {
        throw new ElfException(what + ": the string at " + hex(at) + " does not end");
      }
    }
  }

  /** The number of bytes before the NUL that ends the string at {@code at}. */
  int stringLength(long at) {
    check(at, 1);
    long limit = Math.min(size(), at + MAX_STRING);
    for (long i = at; i < limit; i++) {
      if (segment.get(JAVA_BYTE, i) == 0) {
        return (int) (i - at);
      }
    }
    throw new ElfException(what + ": the string at " + hex(at) + " does not end");
  }

  /** Whether the string at {@code at} is exactly these bytes. */
  public boolean stringEquals(long at, byte[] expected) {
    if (at < 0 || at >= size() || size() - at <= expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if ((byte) u8(at + i) != expected[i]) {
        return false;
      }
    }
    return u8(at + expected.length) == 0;
  }

  /** Copies the first {@code length} bytes at {@code at} to the start of {@code target}. */
  public void copy(long at, byte[] target, int length) {
    copy(at, target, 0, length);
  }

  /** The same, to another place in {@code target}. */
  void copy(long at, byte[] target, int offset, int length) {
    check(at, length);
    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, at, target, offset, length);
  }

  /** Copies {@code count} 4-byte words at {@code at}, in the right byte order. */
  void copyInts(long at, int[] target, int count) {
    check(at, 4L * count);
    MemorySegment.copy(segment, swap ? SWAPPED_INT : JAVA_INT_UNALIGNED, at, target, 0, count);
  }

  boolean isBigEndian() {
    return swap == (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
  }

  /** A part; {@code what} names it in messages. */
  public ElfBytes slice(long at, long length, String part) {
    if (at < 0 || length < 0 || at > size() || length > size() - at) {
      throw outside(part + " at " + hex(at) + ", " + Long.toUnsignedString(length) + " bytes,");
    }
    return new ElfBytes(segment.asSlice(at, length), is64, swap, what + ", " + part);
  }

  /** Other bytes, read in the same byte order and word size. */
  public ElfBytes with(MemorySegment other) {
    return new ElfBytes(other, is64, swap, what);
  }

  /** Runs {@code reader}, guarded if these bytes are a file's. */
  <T> T guard(Supplier<T> reader) {
    return segment.isMapped() ? LostPages.guard(what, reader) : reader.get();
  }

  String what() {
    return what;
  }

  private void check(long at, long length) {
    if (at < 0 || at > size() - length) {
      throw outside("offset " + hex(at));
    }
  }

  private ElfException outside(String part) {
    return new ElfException(
        what + ": " + part + " lies outside of the " + size() + " bytes there are");
  }

  static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }
}
