package dev.plumb.server.http;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory that bodies of requests may take together: a quarter of the heap. A request is handled
 * by one thread, which takes room as its body grows and is copied, and gives it back when it is
 * done. Who finds none waits a moment, and is then asked to come again.
 */
public final class BodyMemoryBudget {
  private static final long ALL = Runtime.getRuntime().maxMemory() / 4;

  /** A body is held twice while its pieces are put together. */
  private static final long LARGEST_BODY = ALL / 2;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Condition GIVEN_BACK = LOCK.newCondition();

  /** What the request of this thread has; threads that handle none are not counted. */
  private static final ThreadLocal<long[]> MINE = new ThreadLocal<>();

  private static long taken;

  private BodyMemoryBudget() {}

  /** A request begins on this thread. */
  public static void open() {
    MINE.set(new long[1]);
  }

  /** The largest body that is taken where {@code wanted} would be. */
  public static int largestBody(int wanted) {
    return (int) Math.min(wanted, LARGEST_BODY);
  }

  public static void take(long bytes) {
    long[] mine = MINE.get();
    if (mine == null || bytes <= 0) {
      return;
    }
    if (mine[0] + bytes > ALL) {
      throw new Refusal(
          ErrorCode.TOO_LARGE,
          "the request needs more than the %d MB of memory that requests have here: send smaller"
                  .formatted(ALL >> 20)
              + " profiles, more often");
    }
    LOCK.lock();
    try {
      await(bytes, mine[0]);
      taken += bytes;
      mine[0] += bytes;
    } finally {
      LOCK.unlock();
    }
  }

  /**
   * Who has sent most waits longest: of many that have each a part of the room, those that are
   * about to be whole are left when the others have given up.
   */
  private static void await(long bytes, long held) {
    long left = PATIENCE_NANOS + 2 * PATIENCE_NANOS * held / ALL;
    while (taken + bytes > ALL) {
      if (left <= 0) {
        throw new Refusal(
            ErrorCode.UNAVAILABLE, "too many large requests at once: send it again in a moment");
      }
      try {
        left = GIVEN_BACK.awaitNanos(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        left = 0;
      }
    }
  }

  /** What this thread's request has by now; see {@link #backTo}. */
  public static long held() {
    long[] mine = MINE.get();
    return mine == null ? 0 : mine[0];
  }

  /** Gives back what was taken since {@link #held} said so much. */
  public static void backTo(long before) {
    long[] mine = MINE.get();
    if (mine == null || mine[0] <= before) {
      return;
    }
    LOCK.lock();
    try {
      taken -= mine[0] - before;
      mine[0] = before;
      GIVEN_BACK.signalAll();
    } finally {
      LOCK.unlock();
    }
  }

  /** The request of this thread is over. */
  public static void giveBack() {
    backTo(0);
    MINE.remove();
  }

  static long taken() {
    LOCK.lock();
    try {
      return taken;
    } finally {
      LOCK.unlock();
    }
  }
}
