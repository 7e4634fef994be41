package dev.plumb.server.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A value that is always available at once. Each call looks it up anew and waits for that, but not
 * for long: on a busy server, the caller gets the last known value instead.
 *
 * <p>One thread does the lookup for all callers. After a slow lookup it pauses, so that frequent
 * callers do not make a busy server busier.
 */
final class CachedLookup<T> {
  static final Duration LONGEST_WAIT = Duration.ofMillis(100);

  /** A lookup that takes longer than this is followed by a pause. */
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** How many times longer than the lookup the pause is. */
  private static final int PAUSES = 9;

  private final Supplier<T> look;
  private CompletableFuture<T> looking = new CompletableFuture<>();
  private boolean underWay;
  private T last;
  private long pauseEnd;

  CachedLookup(Supplier<T> look) {
    this.look = look;
  }

  /** Throws what the lookup threw if none has ever succeeded. */
  T get() {
    CompletableFuture<T> mine;
    T known;
    synchronized (this) {
      known = last;
      if (!underWay) {
        if (known != null && System.nanoTime() - pauseEnd < 0) {
          return known;
        }
        begin();
      }
      mine = looking;
    }
    try {
      return known == null ? mine.join() : mine.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    } catch (ExecutionException | TimeoutException e) {
      return known;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return known;
    }
  }

  private void begin() {
    underWay = true;
    looking = new CompletableFuture<>();
    Thread.ofVirtual().name("plumb-look").start(() -> run(looking));
  }

  private void run(CompletableFuture<T> mine) {
    long began = System.nanoTime();
    try {
      T seen = look.get();
      synchronized (this) {
        last = seen;
        end(began);
      }
      mine.complete(seen);
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        end(began);
      }
      mine.completeExceptionally(e);
    }
  }

  private void end(long began) {
    long now = System.nanoTime();
    long took = now - began;
    pauseEnd = took > SHORT_NANOS ? now + PAUSES * took : now;
    underWay = false;
  }
}
