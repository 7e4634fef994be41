package dev.plumb.linux;

import java.time.Duration;

/** What the JDK's threads do not do by themselves. */
public final class Threads {
  private static final Duration STEP = Duration.ofMillis(50);

  private Threads() {}

  /** Waits for a thread's end; an interrupt meanwhile is kept for later. */
  public static void join(Thread thread) {
    join(thread, () -> {});
  }

  /** The same, and runs {@code meanwhile} again and again if it takes long. */
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
