package dev.plumb.store;

import dev.plumb.store.StoreException.Reason;
import java.util.concurrent.Callable;

/**
 * The heap that one query may use. The code that makes a result takes from the allowance before it
 * allocates anything that grows with the store: rows, stacks, labels, text. A query that needs more
 * is refused with advice, so no query makes the process run out of memory.
 *
 * <p>The server gives each query its share; a command that opens a store itself has a quarter of
 * its heap.
 */
public final class HeapAllowance {
  private static final ScopedValue<HeapAllowance> MINE = ScopedValue.newInstance();

  private final long bytes;
  private long left;

  private HeapAllowance(long bytes) {
    this.bytes = bytes;
    this.left = bytes;
  }

  /** Runs a query of this thread with an allowance of this size. */
  public static <T> T with(long bytes, Callable<T> query) throws Exception {
    return ScopedValue.where(MINE, new HeapAllowance(bytes)).call(query::call);
  }

  /** The same query with the same allowance, for the thread that runs it while this one waits. */
  public static <T> Callable<T> shared(Callable<T> query) {
    if (!MINE.isBound()) {
      return query;
    }
    HeapAllowance mine = MINE.get();
    return () -> ScopedValue.where(MINE, mine).call(query::call);
  }

  /** What this thread's query may still take. */
  public static long left() {
    return MINE.isBound() ? MINE.get().left : Runtime.getRuntime().maxMemory() / 4;
  }

  /** Takes some; a cancelled query ends here, too. */
  public static void take(long wanted) {
    if (Thread.currentThread().isInterrupted()) {
      throw new StoreException("the query was cancelled");
    }
    if (!MINE.isBound()) {
      return;
    }
    HeapAllowance mine = MINE.get();
    if (wanted > mine.left) {
      throw new StoreException(
          Reason.TOO_MUCH,
          "this query needs more than the %d MB of memory that a query may use here; ask for a"
                  .formatted(Math.max(1, mine.bytes >> 20))
              + " shorter time range or for fewer series, or give the server more memory");
    }
    mine.left -= wanted;
  }

  /** Gives back what has become garbage. */
  public static void giveBack(long bytes) {
    if (MINE.isBound()) {
      MINE.get().left += bytes;
    }
  }
}
