package dev.plumb.cli.text;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What the standard streams are connected to. */
public final class Terminal {
  private static final long TCGETS = 0x5401;
  private static final long TIOCGWINSZ = 0x5413;

  /** {@code struct winsize}: rows, columns and two more, of 16 bits each. */
  private static final int WINSIZE_BYTES = 8;

  private static final int USUAL_LINES = 24;

  private Terminal() {}

  public static boolean isStandardError() {
    return is(2);
  }

  public static boolean isStandardOutput() {
    return is(1);
  }

  /** Whether there is a terminal whose keys send signals to us and to our commands. */
  public static boolean isControlling() {
    int fd = SystemCalls.tryOpen("/dev/tty", SystemCalls.O_RDONLY, 0);
    if (fd >= 0) {
      new Fd(fd).close();
    }
    return fd >= 0;
  }

  /** How many lines the terminal has that standard output is connected to. */
  public static int lines() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(WINSIZE_BYTES, 2);
      boolean known = SystemCalls.tryIoctl(1, TIOCGWINSZ, size.address()) == 0;
      int rows = Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 0));
      return known && rows > 0 ? rows : USUAL_LINES;
    }
  }

  private static boolean is(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      return SystemCalls.tryIoctl(fd, TCGETS, arena.allocate(64).address()) == 0;
    }
  }
}
