package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads a BTF blob, if need be piece by piece, so that it is not in memory twice. By byte buffers
 * rather than by layouts, whose handles take milliseconds to make when nothing is warm.
 *
 * <pre>
 * 0 magic, version, flags   4 header length   8 types offset   12 types length
 * 16 strings offset   20 strings length, both offsets from the header's end
 * </pre>
 */
abstract class BtfReader {
  private static final int MAGIC = 0xeb9f;
  private static final int HEADER = 24;

  /** All bytes that there are. */
  abstract long size();

  /** How many bytes to ask for at a time, at most; a multiple of four. */
  abstract int largestPiece();

  /** A piece of them, good until the next is asked for. */
  abstract ByteBuffer at(long from, int size);

  /** Of bytes in memory. */
  static final class OfMemory extends BtfReader {
    private final MemorySegment bytes;

    OfMemory(MemorySegment bytes) {
      this.bytes = bytes;
    }

    @Override
    long size() {
      return bytes.byteSize();
    }

    @Override
    int largestPiece() {
      return Integer.MAX_VALUE & ~3;
    }

    @Override
    ByteBuffer at(long from, int size) {
      return bytes.asSlice(from, size).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /**
   * Of a file. sysfs gives no more than a page a call, and the JDK copies through the C stack up to
   * eight kilobytes, so these are the pieces.
   */
  static final class OfFile extends BtfReader {
    private static final int PIECE = 8192;

    private final RandomAccessFile file;
    private final long size;
    private final byte[] buffer = new byte[PIECE];

    OfFile(RandomAccessFile file) throws IOException {
      this.file = file;
      this.size = file.length();
    }

    @Override
    long size() {
      return size;
    }

    @Override
    int largestPiece() {
      return PIECE;
    }

    @Override
    ByteBuffer at(long from, int length) {
      try {
        file.seek(from);
        file.readFully(buffer, 0, length);
        return ByteBuffer.wrap(buffer, 0, length).order(ByteOrder.LITTLE_ENDIAN);
      } catch (IOException e) {
        throw new BpfException("BTF: cannot read " + length + " bytes at " + from, e);
      }
    }
  }

  /** All types; {@code base} is null for BTF that stands alone. */
  final Btf read(Btf base) {
    if (size() < HEADER || size() > Integer.MAX_VALUE) {
      throw new BpfException("BTF: " + size() + " bytes cannot be BTF");
    }
    ByteBuffer header = at(0, HEADER);
    int magic = header.getInt(0);
    if ((magic & 0xffff) != MAGIC || (magic >>> 16 & 0xff) != 1) {
      throw new BpfException("BTF: unknown magic or version, 0x" + Integer.toHexString(magic));
    }
    long headerLength = Integer.toUnsignedLong(header.getInt(4));
    int typesOffset = header.getInt(8);
    int typesLength = header.getInt(12);
    int stringsOffset = header.getInt(16);
    int stringsLength = header.getInt(20);
    long types = part(headerLength, typesOffset, typesLength, "types");
    long strings = part(headerLength, stringsOffset, stringsLength, "strings");
    if (typesLength % 4 != 0) {
      throw new BpfException("BTF: " + typesLength + " bytes of types are not whole words");
    }
    return new Btf(base, words(types, typesLength / 4), bytes(strings, stringsLength));
  }

  private long part(long headerLength, int offset, int length, String what) {
    long from = headerLength + Integer.toUnsignedLong(offset);
    long end = from + Integer.toUnsignedLong(length);
    if (headerLength < HEADER || end > size()) {
      throw new BpfException("BTF: the " + what + " end at " + end + " of " + size() + " bytes");
    }
    return from;
  }

  private int[] words(long from, int count) {
    int[] words = new int[count];
    int step = largestPiece() / 4;
    for (int at = 0, n; at < count; at += n) {
      n = Math.min(step, count - at);
      at(from + 4L * at, 4 * n).asIntBuffer().get(words, at, n);
    }
    return words;
  }

  private byte[] bytes(long from, int count) {
    byte[] bytes = new byte[count];
    for (int at = 0, n; at < count; at += n) {
      n = Math.min(largestPiece(), count - at);
      at(from + at, n).get(bytes, at, n);
    }
    return bytes;
  }
}
