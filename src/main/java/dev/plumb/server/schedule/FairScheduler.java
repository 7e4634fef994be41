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
 * Runs a fixed number of tasks at once; the others wait for a while, then they are refused.
 *
 * <p>Clients take turns: the tasks of a client that sends many wait behind each other, not in front
 * of those of other clients, and never take more than half of the places.
 */
public final class FairScheduler {
  private final int places;
  private final int placesPerClient;
  private final int waitersPerClient;
  private final Duration longestWait;
  private final ReentrantLock lock = new ReentrantLock();

  /** The waiting tasks by client. The first client is served next and then moves to the end. */
  private final LinkedHashMap<String, ArrayDeque<Waiter>> waiting = new LinkedHashMap<>();

  private final Map<String, Integer> running = new HashMap<>();
  private int free;

  private final class Waiter {
    final Condition condition = lock.newCondition();
    boolean called;
  }

  public FairScheduler(int places, int waitersPerClient, Duration longestWait) {
    this.places = places;
    this.placesPerClient = Math.max(1, places / 2);
    this.waitersPerClient = waitersPerClient;
    this.longestWait = longestWait;
    this.free = places;
  }

  /** How many tasks are waiting. */
  public int waiting() {
    lock.lock();
    try {
      return waiting.values().stream().mapToInt(ArrayDeque::size).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Runs the task when it is the client's turn; refuses it if that takes too long. */
  public <T> T run(String client, Callable<T> task) throws Exception {
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
      if (queue.size() >= waitersPerClient) {
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
    long left = longestWait.toNanos();
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
        ErrorCode.BUSY,
        "too many queries are running: try again in a moment, or query less at once");
  }

  private boolean mayRun(String client) {
    return running.getOrDefault(client, 0) < placesPerClient;
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
        // Each call fills one free place.
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

  /** How long a refused client should wait before it tries again. */
  long retryAfterSeconds() {
    return Math.max(1, TimeUnit.NANOSECONDS.toSeconds(longestWait.toNanos()) / 10);
  }
}
