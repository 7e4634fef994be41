package dev.plumb.push;

import dev.plumb.profile.Recording;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Sends recordings to a receiver, from a thread of its own: whoever hands one over does not wait.
 * What cannot be sent now is sent later, oldest first.
 */
public final class Pusher implements AutoCloseable {
  /** What may wait on disk unless told otherwise. */
  public static final long DEFAULT_SPOOL_BYTES = 256L << 20;

  private static final long MAX_MEMORY = 8L << 20;
  private static final long FIRST_WAIT = 500_000_000L;
  private static final long LONGEST_WAIT = 30_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000_000L;

  /**
   * How it went so far.
   *
   * @param waiting requests that are still to be sent
   * @param refused samples that the receiver will not take
   * @param dropped samples that were given up because too much waited
   * @param trouble the latest, for people; empty while all is well
   */
  public record State(
      long sentSamples,
      long sentBytes,
      int waiting,
      long waitingBytes,
      long refused,
      long dropped,
      String trouble) {}

  private final Encoding encoding;
  private final Sender sender;
  private final Spool spool;
  private final Thread thread;
  private volatile boolean closed;
  private volatile long sentSamples;
  private volatile long sentBytes;
  private volatile long refused;
  private volatile String trouble = "";

  /** Takes over what an earlier one left in the spool's folder. */
  public Pusher(PushTarget target, Path spoolFolder, long spoolBytes) {
    this.encoding =
        switch (target.protocol()) {
          case PYROSCOPE -> new PyroscopeBatches();
          case OTLP -> new OtlpBatches();
        };
    this.sender = new Sender(target);
    this.spool = new Spool(spoolFolder, spoolBytes, MAX_MEMORY);
    this.thread = Thread.ofPlatform().daemon().name("push").start(this::run);
  }

  /** Hands a recording over; it is encoded at once, and still the caller's. */
  public void push(Recording recording, Labelling labelling) {
    encoding.batches(recording, labelling).forEach(spool::add);
  }

  private void run() {
    long wait = 0;
    try {
      while (!closed) {
        Optional<Batch> next = spool.oldest(LOOK_NANOS);
        if (next.isPresent()) {
          wait = send(next.get(), wait);
          if (wait > 0) {
            Thread.sleep(wait / 1_000_000);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** How long to wait before the next one: not at all, or longer and longer. */
  private long send(Batch batch, long lastWait) throws InterruptedException {
    switch (sender.send(batch)) {
      case Sender.Outcome.Taken taken -> {
        sentSamples += batch.samples();
        sentBytes += batch.body().length;
        trouble = "";
        spool.done(batch);
        return 0;
      }
      case Sender.Outcome.Refused no -> {
        refused += batch.samples();
        trouble = no.why();
        spool.done(batch);
        return 0;
      }
      case Sender.Outcome.NotNow later -> {
        trouble = later.why();
        long longer = Math.clamp(lastWait * 2, FIRST_WAIT, LONGEST_WAIT);
        long spread = ThreadLocalRandom.current().nextLong(longer / 4);
        return Math.max(later.waitNanos(), longer - spread);
      }
    }
  }

  /** Waits until all is sent; whether that was so in time. */
  public boolean flush(long nanos) {
    try {
      return spool.awaitEmpty(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  public State state() {
    return new State(
        sentSamples,
        sentBytes,
        spool.waiting(),
        spool.waitingBytes(),
        refused,
        spool.droppedSamples(),
        trouble.isEmpty() ? spool.trouble() : trouble);
  }

  /** What was not sent is kept on disk for the next one. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    sender.close();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    spool.keep();
  }
}
