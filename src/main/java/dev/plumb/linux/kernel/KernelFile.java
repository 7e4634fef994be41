package dev.plumb.linux.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Small files of {@code /proc} and {@code /sys}, read at once: a sysctl answers its first read
 * only, and {@link java.nio.file.Files#readString} begins with a read of one byte where a file says
 * that it is empty.
 */
public final class KernelFile {
  private static final int SIZE = 64 * 1024;

  private KernelFile() {}

  /** The text without blanks around it; empty if it cannot be read. */
  public static Optional<String> read(String path) {
    int number = SystemCalls.tryOpen(path, SystemCalls.O_RDONLY, 0);
    if (number < 0) {
      return Optional.empty();
    }
    try (Fd fd = new Fd(number);
        Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(SIZE);
      long n = SystemCalls.tryRead(fd.number(), buffer);
      return n < 0
          ? Optional.empty()
          : Optional.of(
              new String(buffer.asSlice(0, n).toArray(JAVA_BYTE), StandardCharsets.UTF_8).strip());
    }
  }
}
