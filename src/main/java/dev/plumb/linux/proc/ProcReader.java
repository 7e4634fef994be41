package dev.plumb.linux.proc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads files in {@code /proc} through one buffer that is reused, so that reading ten thousand
 * processes allocates next to nothing. Not thread-safe.
 *
 * <p>The bytes go from the kernel to native memory, and from there in one copy to an array: the JVM
 * accesses arrays fast in all its execution modes, but not native memory.
 */
public final class ProcReader implements AutoCloseable {
  private static final int CHUNK = 1 << 14;

  /** The longest file or line; the kernel's own limits are far below. */
  private static final int MAX_SIZE = 1 << 22;

  private static final int MAX_PATH = 4096;
  private static final int O_DIRECTORY =
      System.getProperty("os.arch").equals("aarch64") ? 040000 : 0200000;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment pathCopy = arena.allocate(MAX_PATH);
  private final MemorySegment chunk = arena.allocate(CHUNK, 8);
  private final ByteCursor cursor = new ByteCursor();
  private final byte[] path = new byte[MAX_PATH];
  private int pathLength;
  private byte[] bytes = new byte[CHUNK];
  private boolean busy;

  /** Takes a line, without its end, as a range of bytes that is valid only during the call. */
  @FunctionalInterface
  public interface Lines {
    void line(byte[] bytes, int start, int end);
  }

  /** What {@link #readAll} read last. */
  byte[] bytes() {
    return bytes;
  }

  /** The first {@code length} bytes of what was last read. */
  public ByteCursor cursor(int length) {
    return cursor.on(bytes, 0, length);
  }

  /** {@code /proc/PID/name}. */
  public ProcReader at(int pid, String name) {
    pathLength = 0;
    return append("/proc/").append(pid).append("/").append(name);
  }

  /** {@code /proc/PID/task/TID/name}. */
  public ProcReader at(int pid, int tid, String name) {
    pathLength = 0;
    return append("/proc/").append(pid).append("/task/").append(tid).append("/").append(name);
  }

  public ProcReader at(String file) {
    pathLength = 0;
    return append(file);
  }

  private ProcReader append(String text) {
    if (pathLength + text.length() >= MAX_PATH) {
      throw new IllegalArgumentException("path too long: " + text);
    }
    for (int i = 0; i < text.length(); i++) {
      path[pathLength++] = (byte) text.charAt(i);
    }
    return this;
  }

  private ProcReader append(int number) {
    int digits = 1;
    for (int rest = number / 10; rest > 0; rest /= 10) {
      digits++;
    }
    int rest = number;
    for (int i = digits - 1; i >= 0; i--) {
      path[pathLength + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    pathLength += digits;
    return this;
  }

  /**
   * Reads the whole file at the path; returns its length, or -1 if the process is gone.
   *
   * @throws SyscallException for any other reason
   */
  public int readAll() {
    int fd = open(0);
    if (fd < 0) {
      return -1;
    }
    try {
      int length = 0;
      while (true) {
        long n = SystemCalls.tryRead(fd, chunk);
        if (n == 0) {
          return length;
        }
        if (n < 0) {
          return failed((int) -n, "read");
        }
        keep(length, (int) n);
        length += (int) n;
      }
    } finally {
      SystemCalls.close(fd);
    }
  }

  /**
   * Reads the file at the path line by line; returns whether it was there. If the process ends
   * meanwhile, so do the lines.
   *
   * @throws SyscallException if it cannot be read for another reason
   */
  public boolean forEachLine(Lines lines) {
    int fd = open(0);
    if (fd < 0) {
      return false;
    }
    busy = true;
    try {
      return readLines(fd, lines);
    } finally {
      busy = false;
      SystemCalls.close(fd);
    }
  }

  private boolean readLines(int fd, Lines lines) {
    int kept = 0;
    while (true) {
      long n = SystemCalls.tryRead(fd, chunk);
      if (n < 0) {
        return failed((int) -n, "read") >= 0;
      }
      if (n == 0) {
        if (kept > 0) {
          lines.line(bytes, 0, kept);
        }
        return true;
      }
      keep(kept, (int) n);
      int length = kept + (int) n;
      int start = 0;
      for (int i = kept; i < length; i++) {
        if (bytes[i] == '\n') {
          lines.line(bytes, start, i);
          start = i + 1;
        }
      }
      kept = length - start;
      System.arraycopy(bytes, start, bytes, 0, kept);
    }
  }

  private void keep(int length, int more) {
    if (length + more > MAX_SIZE) {
      throw new IllegalStateException(pathText() + " is longer than " + MAX_SIZE + " bytes");
    }
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
    }
    MemorySegment.copy(chunk, JAVA_BYTE, 0, bytes, length, more);
  }

  /** The target of a link such as {@code /proc/PID/exe}; empty if the process is gone. */
  public Optional<String> link(int pid, String name) {
    int length = at(pid, name).readLink();
    return length < 0 ? Optional.empty() : Optional.of(ByteCursor.text(bytes, 0, length));
  }

  /** Reads the link at the path into {@link #bytes}; returns its length, or -1 if there is none. */
  int readLink() {
    long n = SystemCalls.tryReadlink(terminatedPath(), chunk);
    if (n < 0) {
      return failed((int) -n, "readlink");
    }
    keep(0, (int) n);
    return (int) n;
  }

  /** The numbers among the names in the folder at the path; empty if it is gone. */
  int[] numberedEntries() {
    int[] numbers = new int[256];
    int count = 0;
    int fd = open(O_DIRECTORY);
    if (fd < 0) {
      return new int[0];
    }
    try {
      while (true) {
        long n = SystemCalls.tryGetdents(fd, chunk);
        if (n <= 0) {
          if (n < 0) {
            failed((int) -n, "getdents64");
          }
          return Arrays.copyOf(numbers, count);
        }
        for (long at = 0; at < n; at += chunk.get(JAVA_SHORT, at + 16) & 0xffff) {
          int number = entryNumber(at + 19);
          if (number > 0) {
            if (count == numbers.length) {
              numbers = Arrays.copyOf(numbers, count * 2);
            }
            numbers[count++] = number;
          }
        }
      }
    } finally {
      SystemCalls.close(fd);
    }
  }

  /** struct linux_dirent64: u64 d_ino, s64 d_off, u16 d_reclen at 16, u8 d_type, d_name at 19. */
  private int entryNumber(long nameAt) {
    long value = 0;
    for (long i = nameAt; chunk.get(JAVA_BYTE, i) != 0; i++) {
      int digit = chunk.get(JAVA_BYTE, i) - '0';
      if (digit < 0 || digit > 9 || value > Integer.MAX_VALUE / 10) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return (int) value;
  }

  private int open(int flags) {
    if (busy) {
      throw new IllegalStateException("this reader is in use by a caller of this call");
    }
    int fd = SystemCalls.tryOpen(terminatedPath(), flags);
    return fd >= 0 ? fd : failed(-fd, "open");
  }

  /** Returns -1 if the error means that the process is gone; else throws. */
  private int failed(int errno, String call) {
    if (errno == Errno.ENOENT || errno == Errno.ESRCH) {
      return -1;
    }
    throw new SyscallException(call + "(\"" + pathText() + "\")", errno);
  }

  /** Copies all bytes at once: setting single bytes of a segment is slow in interpreted code. */
  private MemorySegment terminatedPath() {
    path[pathLength] = 0;
    MemorySegment.copy(path, 0, pathCopy, JAVA_BYTE, 0, pathLength + 1);
    return pathCopy;
  }

  private String pathText() {
    return ByteCursor.text(path, 0, pathLength);
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
