package dev.plumb.linux.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads small files in {@code /proc} and {@code /sys} with one read: a sysctl returns data for the
 * first read only, and {@link java.nio.file.Files#readString} first reads one byte if the file's
 * size is given as 0.
 */
public final class KernelFile {
  private static final int SIZE = 64 * 1024;

  private KernelFile() {}

  /** The text without surrounding blanks; empty if the file cannot be read. */
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
