package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down clients that try tokens: after a few wrong tokens from an address, each further answer
 * to a wrong token is delayed. The right token is never delayed, so nobody can lock out others who
 * share an address.
 */
final class WrongTokenDelay {
  private static final int ADDRESSES = 1_000;
  private static final int MOST_DELAYED = 16;

  private final int free;
  private final Duration delay;
  private final Duration memory;

  /** The address whose last wrong token is longest ago is forgotten first. */
  private final Map<String, Tries> addresses =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Tries> eldest) {
          return size() > ADDRESSES;
        }
      };

  private static final class Tries {
    int wrong;
    int waiting;
    long lastNanos;
  }

  WrongTokenDelay() {
    this(5, Duration.ofSeconds(1), Duration.ofMinutes(10));
  }

  WrongTokenDelay(int free, Duration delay, Duration memory) {
    this.free = free;
    this.delay = delay;
    this.memory = memory;
  }

  /** Delays this thread if the address has to wait; refuses if too many of its requests wait. */
  void slowDown(String address) {
    Tries tries;
    synchronized (addresses) {
      tries = addresses.computeIfAbsent(address, _ -> new Tries());
      long now = System.nanoTime();
      if (tries.wrong > 0 && now - tries.lastNanos > memory.toNanos()) {
        tries.wrong = 0;
      }
      tries.lastNanos = now;
      if (++tries.wrong <= free) {
        return;
      }
      if (tries.waiting >= MOST_DELAYED) {
        throw new Refusal(ErrorCode.BUSY, "too many wrong tokens: try again in a moment");
      }
      tries.waiting++;
    }
    try {
      Thread.sleep(delay);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (addresses) {
        tries.waiting--;
      }
    }
  }

  int addresses() {
    synchronized (addresses) {
      return addresses.size();
    }
  }
}
