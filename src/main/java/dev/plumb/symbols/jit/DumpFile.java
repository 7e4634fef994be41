package dev.plumb.symbols.jit;

import dev.plumb.linux.Fd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Numbers and texts of a jitdump file in its byte order, read through a window. */
final class DumpFile {
  private static final int PIECE = 1 << 15;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Fd file;
  private final FileWindow window;
  private final boolean swap;
  private long from;
  private int length;

  /** {@code swap}: whether it is a big-endian one. */
  DumpFile(Fd file, FileWindow window, boolean swap) {
    this.file = file;
    this.window = window;
    this.swap = swap;
  }

  /** Whether this many bytes are there; they can be asked for then, and these only. */
  boolean has(long at, int wanted) {
    if (at < from || at + wanted > from + length) {
      from = at;
      length = window.read(file, at, Math.max(PIECE, wanted));
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
   * How many bytes there are before the NUL; -1 if none of the first {@code most} is one. They can
   * be asked for then.
   */
  int textLength(long at, int most) {
    if (!has(at, 1)) {
      return -1;
    }
    has(at, most); // as much of it as there is
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
