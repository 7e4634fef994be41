package dev.plumb.linux;

import java.time.Duration;

/** Waits for threads without being interrupted, which the JDK cannot do. */
public final class Threads {
  private static final Duration STEP = Duration.ofMillis(50);

  private Threads() {}

  /** Waits for a thread to end; an interrupt meanwhile is kept for later. */
  public static void join(Thread thread) {
    join(thread, () -> {});
  }

  /** The same; runs {@code meanwhile} repeatedly while it waits. */
  public static void join(Thread thread, Runnable meanwhile) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        if (!thread.join(STEP)) {
          meanwhile.run();
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
