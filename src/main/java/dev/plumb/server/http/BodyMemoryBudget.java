package dev.plumb.server.http;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory that all request bodies may take together: a quarter of the heap. One thread handles a
 * request; it takes memory as the body grows and is copied, and returns it at the end. A thread
 * that finds none left waits a moment, then its request is refused.
 */
public final class BodyMemoryBudget {
  private static final long ALL = Runtime.getRuntime().maxMemory() / 4;

  /** A body is held twice while its pieces are put together. */
  private static final long LARGEST_BODY = ALL / 2;

  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Condition GIVEN_BACK = LOCK.newCondition();

  /** What the request of this thread has taken; other threads are not counted. */
  private static final ThreadLocal<long[]> MINE = new ThreadLocal<>();

  private static long taken;

  private BodyMemoryBudget() {}

  /** Begins a request on this thread. */
  public static void open() {
    MINE.set(new long[1]);
  }

  /** {@code wanted}, or the largest body that this heap allows. */
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
          "the request needs more than the %d MB of memory that this server has for requests: send"
                  .formatted(ALL >> 20)
              + " smaller profiles, more often");
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
   * The more a request has already sent, the longer it waits: when many requests hold a part of the
   * memory each, those that are nearly complete remain after the others have given up.
   */
  private static void await(long bytes, long held) {
    long left = WAIT_NANOS + 2 * WAIT_NANOS * held / ALL;
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

  /** What this thread's request has taken so far; see {@link #backTo}. */
  public static long held() {
    long[] mine = MINE.get();
    return mine == null ? 0 : mine[0];
  }

  /** Returns what was taken since {@link #held} returned {@code before}. */
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

  /** Ends the request of this thread. */
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
