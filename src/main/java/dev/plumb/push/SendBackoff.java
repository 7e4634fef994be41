package dev.plumb.push;

import java.util.concurrent.ThreadLocalRandom;

/** How long nothing is sent to a receiver: longer and longer while it cannot take anything. */
final class SendBackoff {
  private static final long FIRST = 500_000_000L;
  private static final long LONGEST = 30_000_000_000L;
  private static final long SHORT = 200_000_000L;

  private long end = System.nanoTime();
  private long last;

  /** A moment up to a quarter shorter, so that many who wait do not come back together. */
  static long longer(long nanos) {
    long wait = Math.clamp(nanos, FIRST, LONGEST);
    return wait - ThreadLocalRandom.current().nextLong(wait / 4);
  }

  /**
   * Begins one, unless it has begun; how long it takes from now on.
   *
   * @param wanted by the receiver; 0 if it does not say
   */
  synchronized long begin(long wanted) {
    if (isOver()) {
      last = Math.clamp(last * 2, FIRST, LONGEST);
      end = System.nanoTime() + Math.max(wanted, longer(last));
    }
    return Math.max(0, end - System.nanoTime());
  }

  /** A moment, which does not make the next one longer. */
  synchronized void beginShort() {
    if (isOver()) {
      end = System.nanoTime() + SHORT - ThreadLocalRandom.current().nextLong(SHORT / 2);
    }
  }

  /** The receiver takes something again. */
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
