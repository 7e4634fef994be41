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
 * Threads of the system's own for questions that virtual threads ask. DuckDB's native code holds
 * the carrier of a virtual thread until it returns: as many heavy questions as there are processors
 * would stop all others, and whoever writes.
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

  /** Runs it here, or elsewhere if this thread is a virtual one; an interrupt reaches it. */
  static <T> T run(Callable<T> question) throws Exception {
    if (!Thread.currentThread().isVirtual()) {
      return question.call();
    }
    CountDownLatch ended = new CountDownLatch(1);
    Callable<T> sameAllowance = HeapAllowance.shared(question);
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
      throw new StoreException("the question was withdrawn", e);
    } catch (CancellationException e) {
      throw new StoreException("the question was withdrawn", e);
    } catch (ExecutionException e) {
      throw cause(e);
    }
  }

  /** What the question has taken is taken until it has ended. */
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
