package dev.plumb.cli.serve;

import dev.plumb.cli.run.ResidentMemory;
import dev.plumb.linux.proc.FilePages;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.engine.Store;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Releases the memory that queries took when no more queries come. By itself, the heap of an idle
 * server is never collected, the database keeps what it has read, and the pages of libraries that
 * ran once stay in memory.
 */
final class ServerMemory implements AutoCloseable {
  private static final int LOOK_SECONDS = 5;

  /** Quiet time after the last large query. */
  private static final Duration REST = Duration.ofSeconds(10);

  /**
   * Storing the recordings of a busy machine takes memory, too: it is released at most this often.
   */
  private static final Duration AGAIN = Duration.ofSeconds(20);

  private static final long MUCH_MORE = 24 << 20;

  /** A heap of this size is small enough. */
  private static final long SMALL_HEAP = 32 << 20;

  private final QueryScheduler traffic;
  private final Store store;
  private final Semaphore looks = new Semaphore(0);
  private final Thread thread = Thread.ofPlatform().daemon().name("memory").unstarted(this::run);

  /** Memory in use after the last release; 0 if queries have come since then. */
  private long left;

  private long lastNanos;

  private long maxHeap = SMALL_HEAP;

  private ServerMemory(QueryScheduler traffic, Store store) {
    this.traffic = traffic;
    this.store = store;
  }

  static ServerMemory watch(QueryScheduler traffic, Store store) {
    ServerMemory memory = new ServerMemory(traffic, store);
    memory.thread.start();
    return memory;
  }

  /** Memory was used that will not be needed again soon. */
  void look() {
    looks.release();
  }

  private void run() {
    try {
      while (true) {
        looks.tryAcquire(LOOK_SECONDS, TimeUnit.SECONDS);
        looks.drainPermits();
        Duration quiet = traffic.quiet();
        if (quiet.compareTo(REST) < 0) {
          left = 0;
        } else {
          release();
        }
      }
    } catch (InterruptedException e) {
      // The server ends.
    }
  }

  private void release() {
    boolean all =
        left == 0
            || ResidentMemory.ofThis() > left + MUCH_MORE
                && System.nanoTime() - lastNanos > AGAIN.toNanos();
    if (all) {
      store.giveBackMemory();
    }
    if (all || heap() > maxHeap) {
      System.gc();
      maxHeap = Math.max(SMALL_HEAP, heap() / 2 * 3);
    }
    FilePages.release();
    if (all) {
      left = ResidentMemory.ofThis();
      lastNanos = System.nanoTime();
    }
  }

  private static long heap() {
    return Runtime.getRuntime().totalMemory();
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
