package dev.plumb.symbols.jit;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A piece of a file, read by pread: mapped memory would be lost under us when the file's owner cuts
 * it. One for all files; what was read before is gone with the next read.
 */
final class FileWindow implements AutoCloseable {
  static final int SIZE = 1 << 18;

  private final Arena arena = Arena.ofShared();
  private MemorySegment memory = MemorySegment.NULL;

  /** Empty until something is read: on most machines there is nothing to be read. */
  private byte[] bytes = {};

  byte[] bytes() {
    return bytes;
  }

  /** Reads up to {@code wanted} bytes to the start of {@link #bytes}; how many, 0 if it fails. */
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
