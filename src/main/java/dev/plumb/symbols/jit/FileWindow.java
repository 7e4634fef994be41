package dev.plumb.symbols.jit;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A buffer for a piece of a file, read with pread: mapped memory would be lost under us if the
 * file's owner truncated it. All files share one; each read overwrites the one before.
 */
final class FileWindow implements AutoCloseable {
  static final int SIZE = 1 << 18;

  private final Arena arena = Arena.ofShared();
  private MemorySegment memory = MemorySegment.NULL;

  /** Empty until the first read: most machines have no such files. */
  private byte[] bytes = {};

  byte[] bytes() {
    return bytes;
  }

  /** Reads up to {@code wanted} bytes into {@link #bytes}; returns how many, 0 on failure. */
  int read(Fd file, long fileOffset, int wanted) {
    if (bytes.length == 0) {
      memory = arena.allocate(SIZE, 8);
      bytes = new byte[SIZE];
    }
    int length = Math.min(wanted, SIZE);
    int done = 0;
    while (done < length) {
      long n =
          SystemCalls.tryPread(
              file.number(), memory.asSlice(done, length - done), fileOffset + done);
      if (n <= 0) {
        break;
      }
      done += (int) n;
    }
    MemorySegment.copy(memory, JAVA_BYTE, 0, bytes, 0, done);
    return done;
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
