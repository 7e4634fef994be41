package dev.plumb.cli.text;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;

/** What the standard streams are connected to. */
public final class Terminal {
  private static final long TCGETS = 0x5401;

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

  private static boolean is(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      return SystemCalls.tryIoctl(fd, TCGETS, arena.allocate(64).address()) == 0;
    }
  }
}
