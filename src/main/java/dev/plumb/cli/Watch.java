package dev.plumb.cli;

import dev.plumb.collect.RecordOptions;
import dev.plumb.collect.Recorder;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.Threads;
import dev.plumb.profile.Recording;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Records all the time, and hands over what came in each interval, on another thread: whoever takes
 * it may be slow. Then intervals grow longer; nothing is lost before the kernel's ring is full.
 */
final class Watch implements AutoCloseable {
  /** Of the thread that reads what is recorded. */
  private static final int READERS_NICE = -10;

  private static final int MAX_WAITING = 2;
  private static final long WAIT_NANOS = 200_000_000;

  private final Recorder recorder;
  private final long intervalNanos;
  private final Supplier<Map<String, String>> facts;
  private final Consumer<Recording> taker;
  private final BlockingQueue<Optional<Recording>> waiting =
      new ArrayBlockingQueue<>(MAX_WAITING + 1);
  private final Thread thread;
  private volatile Optional<RuntimeException> failure = Optional.empty();

  /** Loads what is needed; nothing is watched yet. */
  Watch(
      RecordOptions options,
      long intervalNanos,
      Supplier<Map<String, String>> facts,
      Consumer<Recording> taker) {
    this.recorder = Recorder.forLong(options);
    this.intervalNanos = intervalNanos;
    this.facts = facts;
    this.taker = taker;
    this.thread = Thread.ofPlatform().name("recordings").unstarted(this::handOver);
  }

  /** The modes that are not possible here, and why. */
  Map<String, String> refused() {
    return recorder.refused();
  }

  /** Watches until it is told to end. */
  void run(BooleanSupplier done) {
    int nice = SystemCalls.niceValue();
    thread.start();
    try {
      recorder.start();
      SystemCalls.trySetNice(READERS_NICE);
      while (!done.getAsBoolean() && failure.isEmpty()) {
        recorder.runFor(intervalNanos, done);
        while (waiting.size() >= MAX_WAITING && !done.getAsBoolean()) {
          recorder.runFor(WAIT_NANOS, done);
        }
        put(Optional.of(recorder.cut(facts.get())));
      }
    } finally {
      SystemCalls.trySetNice(nice);
      put(Optional.empty());
      Threads.join(thread);
    }
    failure.ifPresent(
        e -> {
          throw e;
        });
  }

  private void put(Optional<Recording> recording) {
    boolean interrupted = false;
    while (true) {
      try {
        waiting.put(recording);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void handOver() {
    try {
      for (Optional<Recording> next = waiting.take(); next.isPresent(); next = waiting.take()) {
        try (Recording recording = next.get()) {
          taker.accept(recording);
        } catch (RuntimeException e) {
          failure = Optional.of(e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody does that
    }
  }

  @Override
  public void close() {
    recorder.close();
  }
}
