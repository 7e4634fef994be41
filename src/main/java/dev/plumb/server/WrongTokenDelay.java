package dev.plumb.server;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down who tries tokens: after a few wrong ones, each further answer to that address waits.
 * The right token is never asked to wait, so nobody can lock out those who share an address.
 */
final class WrongTokenDelay {
  private static final int ADDRESSES = 1_000;
  private static final int AT_ONCE = 16;

  private final int free;
  private final Duration delay;
  private final Duration memory;

  /** The addresses that tried least lately are forgotten first. */
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

  /** Waits as long as this address has to; refuses if too many of its requests wait already. */
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
      if (tries.waiting >= AT_ONCE) {
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
