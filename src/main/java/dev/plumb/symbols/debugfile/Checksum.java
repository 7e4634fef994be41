package dev.plumb.symbols.debugfile;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32;

/** The CRC-32 of a file's content, read instead of mapped: a truncated file is just shorter. */
final class Checksum {
  private static final int CHUNK = 1 << 18;

  private Checksum() {}

  /** The checksum; -1 if the file has more than {@code limit} bytes or cannot be read. */
  static long of(Fd fd, long limit) {
    CRC32 crc = new CRC32();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(CHUNK);
      long at = 0;
      while (true) {
        long n = SystemCalls.tryPread(fd.number(), chunk, at);
        if (n < 0 || at + n > limit) {
          return -1;
        }
        if (n == 0) {
          return crc.getValue();
        }
        crc.update(chunk.asSlice(0, n).asByteBuffer());
        at += n;
      }
    }
  }
}
