package dev.plumb.cli;

import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;

/** What the standard streams are connected to. */
final class Terminal {
  private static final long TCGETS = 0x5401;

  private Terminal() {}

  static boolean isStandardError() {
    return is(2);
  }

  static boolean isStandardOutput() {
    return is(1);
  }

  private static boolean is(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      return SystemCalls.tryIoctl(fd, TCGETS, arena.allocate(64).address()) == 0;
    }
  }
}
