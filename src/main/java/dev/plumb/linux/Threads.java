package dev.plumb.linux;

/** What the JDK's threads do not do by themselves. */
public final class Threads {
  private Threads() {}

  /** Waits for a thread's end; an interrupt meanwhile is kept for later. */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
