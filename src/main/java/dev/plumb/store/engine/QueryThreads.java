package dev.plumb.store.engine;

import dev.plumb.store.HeapAllowance;
import dev.plumb.store.StoreException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs the queries of virtual threads on platform threads. DuckDB's native code pins the carrier of
 * a virtual thread: as many heavy queries as there are processors would stop everything else that
 * runs on virtual threads.
 */
final class QueryThreads {
  private static final ThreadPoolExecutor POOL =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          5,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          work -> Thread.ofPlatform().daemon().name("plumb-store-answer").unstarted(work));

  private QueryThreads() {}

  /** Runs a query, on another thread if this is a virtual one; an interrupt reaches it there. */
  static <T> T run(Callable<T> query) throws Exception {
    if (!Thread.currentThread().isVirtual()) {
      return query.call();
    }
    CountDownLatch ended = new CountDownLatch(1);
    Callable<T> sameAllowance = HeapAllowance.shared(query);
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              try {
                return sameAllowance.call();
              } finally {
                ended.countDown();
              }
            });
    POOL.execute(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      task.cancel(true);
      awaitEnd(ended);
      Thread.currentThread().interrupt();
      throw new StoreException("the query was cancelled", e);
    } catch (CancellationException e) {
      throw new StoreException("the query was cancelled", e);
    } catch (ExecutionException e) {
      throw cause(e);
    }
  }

  /** The query's memory is in use until the query has ended. */
  private static void awaitEnd(CountDownLatch ended) {
    try {
      ended.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // Once is enough.
    }
  }

  private static Exception cause(ExecutionException e) {
    return switch (e.getCause()) {
      case Error error -> throw error;
      case Exception cause -> cause;
      default -> e;
    };
  }
}
