package dev.plumb.elf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Bytes of an ELF file, read in its byte order and word size. A read outside of them, or of a page
 * that a truncated file no longer has, is an {@link ElfException}.
 *
 * <p>HotSpot answers the SIGBUS of a lost page with an InternalError, so that is what is caught.
 */
public final class ElfBytes {
  /** The longest name that is read; a longer one is taken for damage. */
  public static final int MAX_STRING = 1 << 20;

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

  public long size() {
    return segment.byteSize();
  }

  public MemorySegment segment() {
    return segment;
  }

  /** Whether a word has 8 bytes, else 4. */
  public boolean is64() {
    return is64;
  }

  public int u8(long at) {
    check(at, 1);
    try {
      return segment.get(JAVA_BYTE, at) & 0xff;
    } catch (InternalError e) {
      throw lost(at, e);
    }
  }

  public int u16(long at) {
    check(at, 2);
    try {
      short value = segment.get(JAVA_SHORT_UNALIGNED, at);
      return (swap ? Short.reverseBytes(value) : value) & 0xffff;
    } catch (InternalError e) {
      throw lost(at, e);
    }
  }

  public int i32(long at) {
    check(at, 4);
    try {
      int value = segment.get(JAVA_INT_UNALIGNED, at);
      return swap ? Integer.reverseBytes(value) : value;
    } catch (InternalError e) {
      throw lost(at, e);
    }
  }

  public long u32(long at) {
    return i32(at) & 0xffff_ffffL;
  }

  public long i64(long at) {
    check(at, 8);
    try {
      long value = segment.get(JAVA_LONG_UNALIGNED, at);
      return swap ? Long.reverseBytes(value) : value;
    } catch (InternalError e) {
      throw lost(at, e);
    }
  }

  /** An address or size: 8 bytes of a 64-bit file, 4 bytes, zero-extended, of a 32-bit one. */
  public long word(long at) {
    return is64 ? i64(at) : u32(at);
  }

  /** The bytes at and after {@code at} up to a NUL, as UTF-8. */
  public String string(long at) {
    int length = stringLength(at);
    byte[] bytes = new byte[length];
    copy(at, bytes, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The number of bytes before the NUL that ends the string at {@code at}. */
  public int stringLength(long at) {
    check(at, 1);
    long limit = Math.min(size(), at + MAX_STRING);
    try {
      for (long i = at; i < limit; i++) {
        if (segment.get(JAVA_BYTE, i) == 0) {
          return (int) (i - at);
        }
      }
    } catch (InternalError e) {
      throw lost(at, e);
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
    check(at, length);
    try {
      MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, at, target, 0, length);
    } catch (InternalError e) {
      throw lost(at, e);
    }
  }

  /** A part; {@code what} names it in messages. */
  public ElfBytes slice(long at, long length, String part) {
    if (at < 0 || length < 0 || at > size() || length > size() - at) {
      throw new ElfException(
          "%s: %s at %s, %s bytes, lies outside of the %d bytes there are"
              .formatted(what, part, hex(at), Long.toUnsignedString(length), size()));
    }
    return new ElfBytes(segment.asSlice(at, length), is64, swap, what + ", " + part);
  }

  /** The same interpretation of other bytes. */
  ElfBytes with(MemorySegment other) {
    return new ElfBytes(other, is64, swap, what);
  }

  String what() {
    return what;
  }

  private void check(long at, long length) {
    if (at < 0 || at > size() - length) {
      throw new ElfException(
          "%s: %d bytes at %s lie outside of the %d bytes there are"
              .formatted(what, length, hex(at), size()));
    }
  }

  private ElfException lost(long at, InternalError cause) {
    return new ElfException(what + ": the page of offset " + hex(at) + " is gone", cause);
  }

  static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }
}
