package dev.plumb.linux;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An open file descriptor that we own. */
public final class Fd implements AutoCloseable {
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final int number;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Takes over a descriptor that a system call returned. */
  public Fd(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("fd " + number);
    }
    this.number = number;
    OPEN.incrementAndGet();
  }

  public int number() {
    if (closed.get()) {
      throw new IllegalStateException("fd " + number + " is closed");
    }
    return number;
  }

  /** The descriptors owned and not yet closed, for leak checks. */
  public static int openCount() {
    return OPEN.get();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      OPEN.decrementAndGet();
      SystemCalls.close(number);
    }
  }

  @Override
  public String toString() {
    return "fd " + number + (closed.get() ? " (closed)" : "");
  }
}
