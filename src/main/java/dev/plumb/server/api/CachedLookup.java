package dev.plumb.server.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * What can be asked for at any time and is answered at once: whoever asks has it looked at anew and
 * waits for that, but not for long. On a server that is busy it gets what was seen last instead.
 *
 * <p>One thread looks for all who ask, and not again at once after it took long, so that those who
 * ask often do not make a busy server busier.
 */
final class CachedLookup<T> {
  static final Duration PATIENCE = Duration.ofMillis(100);

  /** A look that takes longer than this is followed by a pause. */
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** How much longer the pause is than the look was. */
  private static final int PAUSES = 9;

  private final Supplier<T> look;
  private CompletableFuture<T> looking = new CompletableFuture<>();
  private boolean underWay;
  private T last;
  private long pauseEnd;

  CachedLookup(Supplier<T> look) {
    this.look = look;
  }

  /** Throws what the look threw if there was never one that did not. */
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
      return known == null ? mine.join() : mine.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
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
