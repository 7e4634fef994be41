package dev.plumb.collect;

import dev.plumb.linux.FilePages;

/** Gives back what this process took for a moment only. For one thread. */
final class OwnMemory {
  /** With less in the heap nobody minds. */
  private static final long SMALL_HEAP = 10 << 20;

  /** Most is taken in the first seconds. */
  private static final int START_TICKS = 8;

  private static final int TICKS_BETWEEN = 10;

  private long maxUsed = SMALL_HEAP;
  private int ticks;

  /**
   * Collects all if the heap holds much more than it held after the last time. By itself the JVM
   * does so only when there is no room any more; until then the heap grows.
   */
  void look() {
    if (used() > maxUsed) {
      collect();
      FilePages.release();
    }
  }

  private void collect() {
    System.gc();
    boolean starting = ticks < START_TICKS;
    maxUsed = Math.max(SMALL_HEAP, starting ? used() / 5 * 7 : used() * 2);
  }

  private static long used() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** To be called about once a second. */
  void tick() {
    ticks++;
    if (ticks <= START_TICKS || ticks % TICKS_BETWEEN == 0) {
      FilePages.release();
    }
    if (ticks == START_TICKS) {
      collect(); // what was in use then may have let the limit rise
    }
  }
}
