package dev.plumb.store;

import dev.plumb.store.StoreException.Reason;
import java.util.concurrent.Callable;

/**
 * The heap that one question may take. Whoever makes an answer takes from it before it allocates
 * what grows with the store: rows, stacks, labels, text. A question that needs more is refused, and
 * told what to ask for instead; the process never runs out of memory because of it.
 *
 * <p>The server gives each question its part, see {@code QuestionMemory}; a command that asks a
 * store by itself has a quarter of its heap.
 */
public final class HeapAllowance {
  private static final ScopedValue<HeapAllowance> MINE = ScopedValue.newInstance();

  private final long bytes;
  private long left;

  private HeapAllowance(long bytes) {
    this.bytes = bytes;
    this.left = bytes;
  }

  /** Runs what this thread asks with so much memory. */
  public static <T> T with(long bytes, Callable<T> question) throws Exception {
    return ScopedValue.where(MINE, new HeapAllowance(bytes)).call(question::call);
  }

  /** The same question, for whatever thread runs it while this one waits. */
  public static <T> Callable<T> shared(Callable<T> question) {
    if (!MINE.isBound()) {
      return question;
    }
    HeapAllowance mine = MINE.get();
    return () -> ScopedValue.where(MINE, mine).call(question::call);
  }

  /** What the question of this thread may still take. */
  public static long left() {
    return MINE.isBound() ? MINE.get().left : Runtime.getRuntime().maxMemory() / 4;
  }

  /** Takes some; a question that is over or withdrawn ends here too. */
  public static void take(long wanted) {
    if (Thread.currentThread().isInterrupted()) {
      throw new StoreException("the question was withdrawn");
    }
    if (!MINE.isBound()) {
      return;
    }
    HeapAllowance mine = MINE.get();
    if (wanted > mine.left) {
      throw new StoreException(
          Reason.TOO_MUCH,
          "this takes more memory than the %d MB that a question has here; ask for a shorter time"
                  .formatted(Math.max(1, mine.bytes >> 20))
              + " range or for fewer series, or give the server more memory");
    }
    mine.left -= wanted;
  }

  /** Gives back what is garbage now. */
  public static void giveBack(long bytes) {
    if (MINE.isBound()) {
      MINE.get().left += bytes;
    }
  }
}
