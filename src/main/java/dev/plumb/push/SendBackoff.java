package dev.plumb.push;

import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts: they get longer while the receiver cannot take anything. */
final class SendBackoff {
  private static final long FIRST = 500_000_000L;
  private static final long LONGEST = 30_000_000_000L;
  private static final long SHORT = 200_000_000L;

  private long end = System.nanoTime();
  private long last;

  /**
   * A pause, shortened by up to a quarter at random, so that many clients do not return at once.
   */
  static long longer(long nanos) {
    long wait = Math.clamp(nanos, FIRST, LONGEST);
    return wait - ThreadLocalRandom.current().nextLong(wait / 4);
  }

  /**
   * Begins a pause unless one is under way.
   *
   * @param wanted the pause that the receiver asked for; 0 if none
   * @return how long the pause lasts from now on
   */
  synchronized long begin(long wanted) {
    if (isOver()) {
      last = Math.clamp(last * 2, FIRST, LONGEST);
      end = System.nanoTime() + Math.max(wanted, longer(last));
    }
    return Math.max(0, end - System.nanoTime());
  }

  /** Begins a short pause, which does not make the next one longer. */
  synchronized void beginShort() {
    if (isOver()) {
      end = System.nanoTime() + SHORT - ThreadLocalRandom.current().nextLong(SHORT / 2);
    }
  }

  /** The receiver has taken something again. */
  synchronized void end() {
    last = 0;
  }

  synchronized boolean isOver() {
    return end - System.nanoTime() <= 0;
  }

  void await() throws InterruptedException {
    long nanos;
    synchronized (this) {
      nanos = end - System.nanoTime();
    }
    if (nanos > 0) {
      Thread.sleep(nanos / 1_000_000 + 1);
    }
  }
}
