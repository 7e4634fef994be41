package dev.plumb.server.schedule;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets so many heavy requests run at once; the others wait, for a time.
 *
 * <p>Clients take turns: who sends many waits behind its own, not before those of others, and never
 * has more than half of the places.
 */
public final class FairScheduler {
  private final int places;
  private final int placesOfOne;
  private final int waitersOfOne;
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();

  /** Those that wait, by client; the first client is served next, then goes to the end. */
  private final LinkedHashMap<String, ArrayDeque<Waiter>> waiting = new LinkedHashMap<>();

  private final Map<String, Integer> running = new HashMap<>();
  private int free;

  private final class Waiter {
    final Condition condition = lock.newCondition();
    boolean called;
  }

  public FairScheduler(int places, int waitersOfOne, Duration patience) {
    this.places = places;
    this.placesOfOne = Math.max(1, places / 2);
    this.waitersOfOne = waitersOfOne;
    this.patience = patience;
    this.free = places;
  }

  public int places() {
    return places;
  }

  /** How many wait now. */
  public int waiting() {
    lock.lock();
    try {
      return waiting.values().stream().mapToInt(ArrayDeque::size).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Runs the task when it is the client's turn; refuses it when that takes too long. */
  public <T> T take(String client, Callable<T> task) throws Exception {
    enter(client);
    try {
      return task.call();
    } finally {
      leave(client);
    }
  }

  private void enter(String client) {
    lock.lock();
    try {
      if (free > 0 && mayRun(client)) {
        start(client);
        return;
      }
      ArrayDeque<Waiter> queue = waiting.computeIfAbsent(client, _ -> new ArrayDeque<>());
      if (queue.size() >= waitersOfOne) {
        throw busy();
      }
      Waiter waiter = new Waiter();
      queue.add(waiter);
      await(client, queue, waiter);
    } finally {
      lock.unlock();
    }
  }

  private void await(String client, ArrayDeque<Waiter> queue, Waiter waiter) {
    long left = patience.toNanos();
    boolean interrupted = false;
    while (!waiter.called && left > 0 && !interrupted) {
      try {
        left = waiter.condition.awaitNanos(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!waiter.called) {
      queue.remove(waiter);
      if (queue.isEmpty()) {
        waiting.remove(client, queue);
      }
      throw busy();
    }
  }

  private static Refusal busy() {
    return new Refusal(
        ErrorCode.BUSY, "too many queries are running; ask again in a moment, or for less at once");
  }

  private boolean mayRun(String client) {
    return running.getOrDefault(client, 0) < placesOfOne;
  }

  private void start(String client) {
    free--;
    running.merge(client, 1, Integer::sum);
  }

  private void leave(String client) {
    lock.lock();
    try {
      free++;
      running.computeIfPresent(client, (_, count) -> count == 1 ? null : count - 1);
      while (free > 0 && callNext()) {
        // As many as there is room for.
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean callNext() {
    Iterator<Map.Entry<String, ArrayDeque<Waiter>>> clients = waiting.entrySet().iterator();
    while (clients.hasNext()) {
      Map.Entry<String, ArrayDeque<Waiter>> next = clients.next();
      if (!mayRun(next.getKey())) {
        continue;
      }
      String client = next.getKey();
      ArrayDeque<Waiter> queue = next.getValue();
      clients.remove();
      Waiter waiter = queue.poll();
      if (!queue.isEmpty()) {
        waiting.put(client, queue);
      }
      start(client);
      waiter.called = true;
      waiter.condition.signal();
      return true;
    }
    return false;
  }

  /** How long a client should wait before it comes again. */
  long retryAfterSeconds() {
    return Math.max(1, TimeUnit.NANOSECONDS.toSeconds(patience.toNanos()) / 10);
  }
}
