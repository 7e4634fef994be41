package dev.plumb.symbols.jit;

import dev.plumb.linux.Fd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads numbers and texts of a jitdump file, in its byte order, through a window. */
final class JitDumpFile {
  /** How many bytes to read at once: for records in sequence, and for a single record. */
  static final int MANY = 1 << 15;

  static final int ONE = 1 << 11;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Fd file;
  private final FileWindow window;
  private final boolean swap;
  private final int piece;
  private long from;
  private int length;

  /**
   * {@code swap}: whether the file is big-endian; {@code piece}: how many bytes to read at once.
   */
  JitDumpFile(Fd file, FileWindow window, boolean swap, int piece) {
    this.file = file;
    this.window = window;
    this.swap = swap;
    this.piece = piece;
  }

  /** Whether this many bytes are there. If so, these bytes, and no others, can be read next. */
  boolean has(long at, int wanted) {
    if (at < from || at + wanted > from + length) {
      from = at;
      length = window.read(file, at, Math.max(piece, wanted));
    }
    return at + wanted <= from + length;
  }

  int i32(long at) {
    int value = (int) INT.get(window.bytes(), (int) (at - from));
    return swap ? Integer.reverseBytes(value) : value;
  }

  long u32(long at) {
    return i32(at) & 0xffff_ffffL;
  }

  long i64(long at) {
    long value = (long) LONG.get(window.bytes(), (int) (at - from));
    return swap ? Long.reverseBytes(value) : value;
  }

  int u8(long at) {
    return window.bytes()[(int) (at - from)] & 0xff;
  }

  /**
   * The number of bytes before the NUL; -1 if there is none among the first {@code most} bytes.
   * These bytes can be read next.
   */
  int textLength(long at, int most) {
    if (!has(at, 1)) {
      return -1;
    }
    int found = nul(at, most);
    if (found >= 0 || at + most <= from + length) {
      return found;
    }
    has(at, most); // reads as much as there is
    return nul(at, most);
  }

  private int nul(long at, int most) {
    int limit = (int) Math.min(most, from + length - at);
    byte[] bytes = window.bytes();
    int start = (int) (at - from);
    for (int i = 0; i < limit; i++) {
      if (bytes[start + i] == 0) {
        return i;
      }
    }
    return -1;
  }

  String text(long at, int count) {
    return new String(window.bytes(), (int) (at - from), count, StandardCharsets.UTF_8);
  }
}
