package dev.plumb.cli.run;

import dev.plumb.linux.Threads;
import dev.plumb.profile.Recording;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * Hands recordings over to a taker on a separate thread: taking one may last long, and the
 * recording thread has to go on reading.
 */
public final class HandOver {
  private static final int MAX_WAITING = 2;
  private static final Runnable END = () -> {};

  private final Consumer<Recording> taker;
  private final BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MAX_WAITING + 2);
  private final Thread thread = Thread.ofPlatform().name("recordings").unstarted(this::work);
  private volatile Optional<RuntimeException> failure = Optional.empty();

  public HandOver(Consumer<Recording> taker) {
    this.taker = taker;
  }

  public void start() {
    thread.start();
  }

  /** Whether the next recording would have to wait; then it is better to cut later. */
  public boolean isBehind() {
    return waiting.size() >= MAX_WAITING;
  }

  /** Whether the taker has failed. */
  public boolean hasFailed() {
    return failure.isPresent();
  }

  public void put(Recording recording) {
    run(
        () -> {
          try (recording) {
            taker.accept(recording);
          }
        });
  }

  /** Runs a task when everything that was put before is taken. */
  public void run(Runnable task) {
    boolean interrupted = false;
    while (true) {
      try {
        waiting.put(task);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void work() {
    try {
      for (Runnable next = waiting.take(); next != END; next = waiting.take()) {
        try {
          next.run();
        } catch (RuntimeException e) {
          failure = Optional.of(e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody interrupts this thread
    }
  }

  /** Waits until everything is taken; fails if the taker has failed. */
  public void end() {
    run(END);
    Threads.join(thread);
    failure.ifPresent(
        e -> {
          throw e;
        });
  }
}
