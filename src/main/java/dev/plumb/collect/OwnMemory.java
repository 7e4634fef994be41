package dev.plumb.collect;

import dev.plumb.linux.proc.FilePages;

/** Releases memory that this process needed only for a moment. For one thread. */
final class OwnMemory {
  /** A heap of this size is small enough. */
  private static final long SMALL_HEAP = 16 << 20;

  /** In the first second much is new: a collection then would delay reading it. */
  private static final long FIRST_HEAP = 20 << 20;

  /** Collecting a larger heap takes so long that samples are lost meanwhile. */
  private static final long LARGE_HEAP = 40 << 20;

  /** Most is taken in the first seconds. */
  private static final int START_TICKS = 8;

  private static final int TICKS_BETWEEN = 10;

  /** With so few samples per second, the ring buffer has room for seconds: a collection fits in. */
  private static final int FEW_SAMPLES = 20_000;

  private static final int QUIET_TICKS = 10;

  private long maxHeap = Math.max(FIRST_HEAP, heap());
  private int ticks;
  private int quietTicks;
  private long samplesBefore;

  /**
   * Collects garbage if the heap has grown since the last time. By itself, the JVM does so only
   * when the heap is full.
   */
  void look() {
    if (heap() > maxHeap && heap() < LARGE_HEAP) {
      collect();
      FilePages.release();
    }
  }

  /** Releases pages that can be read again. */
  void release() {
    FilePages.release();
  }

  /** Much of what was needed is not needed any more. */
  void expectLess() {
    maxHeap = Math.min(maxHeap, LARGE_HEAP);
  }

  private void collect() {
    System.gc();
    boolean starting = ticks < START_TICKS;
    maxHeap = Math.max(SMALL_HEAP, starting ? heap() / 4 * 5 : heap() / 2 * 3);
  }

  private static long heap() {
    return Runtime.getRuntime().totalMemory();
  }

  /**
   * To be called about once per second.
   *
   * @param samples taken so far
   */
  void tick(long samples) {
    ticks++;
    quietTicks = samples - samplesBefore < FEW_SAMPLES ? quietTicks + 1 : 0;
    samplesBefore = samples;
    if (quietTicks >= QUIET_TICKS && heap() > maxHeap) {
      collect(); // what a busy machine made it take
      quietTicks = 0;
    }
    if (ticks == 1) {
      maxHeap = Math.min(maxHeap, SMALL_HEAP);
    }
    if (ticks <= START_TICKS || ticks % TICKS_BETWEEN == 0) {
      FilePages.release();
    }
    if (ticks == START_TICKS) {
      collect(); // what was in use then may have let the limit rise
    }
  }
}
