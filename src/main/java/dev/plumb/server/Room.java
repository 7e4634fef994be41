package dev.plumb.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that bodies of requests may take together: a third of the heap. A request is handled
 * by one thread, which takes room as its body grows and gives it back when it is done.
 */
final class Room {
  private static final long ALL = Runtime.getRuntime().maxMemory() / 3;
  private static final AtomicLong TAKEN = new AtomicLong();
  private static final ThreadLocal<long[]> MINE = ThreadLocal.withInitial(() -> new long[1]);

  private Room() {}

  static void take(long bytes) {
    if (TAKEN.addAndGet(bytes) > ALL) {
      TAKEN.addAndGet(-bytes);
      throw new Refusal(
          Code.BUSY, "too many large requests at once: send it again in a moment, or smaller");
    }
    MINE.get()[0] += bytes;
  }

  /** What this thread took. */
  static void giveBack() {
    TAKEN.addAndGet(-MINE.get()[0]);
    MINE.remove();
  }

  static long taken() {
    return TAKEN.get();
  }
}
