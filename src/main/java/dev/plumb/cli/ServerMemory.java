package dev.plumb.cli;

import dev.plumb.linux.FilePages;
import dev.plumb.server.Traffic;
import dev.plumb.store.Store;
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

  /** Recordings that waited while there were questions may be stored only now: once more then. */
  private static final Duration AGAIN = Duration.ofSeconds(40);

  /** A smaller heap is small enough. */
  private static final long SMALL_HEAP = 32 << 20;

  private final Traffic traffic;
  private final Store store;
  private final Semaphore looks = new Semaphore(0);
  private final Thread thread = Thread.ofPlatform().daemon().name("memory").unstarted(this::run);

  /** How often it was given back since there were questions. */
  private int times;

  private long maxHeap = SMALL_HEAP;

  private ServerMemory(Traffic traffic, Store store) {
    this.traffic = traffic;
    this.store = store;
  }

  static ServerMemory watch(Traffic traffic, Store store) {
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
          times = 0;
        } else {
          giveBack(quiet);
        }
      }
    } catch (InterruptedException e) {
      // The server ends.
    }
  }

  private void giveBack(Duration quiet) {
    boolean all = times == 0 || times == 1 && quiet.compareTo(AGAIN) > 0;
    if (all) {
      times++;
      store.giveBackMemory();
    }
    if (all || heap() > maxHeap) {
      System.gc();
      maxHeap = Math.max(SMALL_HEAP, heap() / 2 * 3);
    }
    FilePages.release();
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
