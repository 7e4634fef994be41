package dev.plumb.cli.serve;

import dev.plumb.cli.run.ResidentMemory;
import dev.plumb.linux.proc.FilePages;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.engine.Store;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Gives the machine back what questions took, once nobody asks: at rest nothing collects the heap,
 * so that it would not shrink, the database keeps what it has read, and pages of libraries that
 * were run once lie there.
 */
final class ServerMemory implements AutoCloseable {
  private static final int LOOK_SECONDS = 5;

  /** After the last large question. */
  private static final Duration REST = Duration.ofSeconds(10);

  /** Recordings of a busy machine take memory too when they are stored: again then, not at once. */
  private static final Duration AGAIN = Duration.ofSeconds(20);

  private static final long MUCH_MORE = 24 << 20;

  /** A smaller heap is small enough. */
  private static final long SMALL_HEAP = 32 << 20;

  private final QueryScheduler traffic;
  private final Store store;
  private final Semaphore looks = new Semaphore(0);
  private final Thread thread = Thread.ofPlatform().daemon().name("memory").unstarted(this::run);

  /** What was still taken when it was given back last; 0 if there were questions since then. */
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

  /** Something was done that will not be done again soon. */
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
          giveBack();
        }
      }
    } catch (InterruptedException e) {
      // The server ends.
    }
  }

  private void giveBack() {
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
