package dev.plumb.linux.kernel;

import dev.plumb.linux.Epoll;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Waits until tasks have been stalled for lack of a resource for longer than a limit within a time
 * window (pressure stall information). The kernel monitors only as long as this is open.
 */
public final class PressureTrigger implements AutoCloseable {
  private final Fd file;
  private final Epoll epoll;

  private PressureTrigger(Fd file) {
    this.file = file;
    this.epoll = new Epoll();
    epoll.addUrgent(file.number(), 0);
  }

  /**
   * @param path {@code /proc/pressure/cpu}, or a cgroup's file
   * @param level {@code some} tasks stalled, or {@code full}: all of them
   */
  public static PressureTrigger open(
      String path, String level, long stallMicros, long windowMicros) {
    int number = SystemCalls.tryOpen(path, SystemCalls.O_RDWR | SystemCalls.O_NONBLOCK, 0);
    if (number < 0) {
      throw new SyscallException(
          "open(" + path + ")",
          -number,
          "needs a kernel with pressure stall information (CONFIG_PSI; boot with psi=1), and root");
    }
    Fd file = new Fd(number);
    String wanted = level + " " + stallMicros + " " + windowMicros;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(wanted);
      long written = SystemCalls.tryWrite(number, text);
      if (written < 0) {
        file.close();
        throw new SyscallException(
            "write(" + path + ", \"" + wanted + "\")",
            (int) -written,
            "the window is 500000 to 10000000 µs (without CAP_SYS_RESOURCE 2000000 or a multiple), and the stall no longer than that");
      }
    }
    return new PressureTrigger(file);
  }

  /** Waits; returns whether the limit was exceeded. */
  public boolean await(int timeoutMillis) {
    return epoll.await(timeoutMillis) > 0;
  }

  @Override
  public void close() {
    epoll.close();
    file.close();
  }
}
