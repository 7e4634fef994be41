package dev.plumb.push;

import dev.plumb.profile.Recording;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Sends recordings to a receiver from threads of its own, so that the caller need not wait. What
 * cannot be sent now is sent later; a request that the receiver refuses for now lets others pass.
 */
public final class Pusher implements AutoCloseable {
  /** The default for how many bytes may wait on disk. */
  public static final long DEFAULT_SPOOL_BYTES = 256L << 20;

  private static final long MAX_MEMORY = 8L << 20;
  private static final long LOOK_NANOS = 1_000_000_000L;
  private static final long LAST_ANSWERS = 3_000_000_000L;
  private static final long FIRST_DELAY = 500_000_000L;

  /** Several, because a receiver may take half a second per request. */
  private static final int SENDERS = 16;

  /**
   * How much may be in flight at once, unpacked, in KB: half of the default burst of Pyroscope's
   * rate limit.
   */
  private static final int MAX_UNDER_WAY_KB = 1 << 10;

  private static final int DELAYS_BEFORE_SPLIT = 2;
  private static final long WORTH_SPLITTING = 16 << 10;

  /**
   * What was sent so far, and what was not.
   *
   * @param waiting requests that are still to be sent
   * @param refused samples that the receiver will not take
   * @param dropped samples that were dropped because too much was waiting
   * @param trouble the latest problem, for people; empty while there is none
   * @param retrySeconds when the next attempt follows; 0 if there is none
   */
  public record State(
      long sentSamples,
      long sentBytes,
      int waiting,
      long waitingBytes,
      long refused,
      long dropped,
      String trouble,
      long retrySeconds) {
    /** The problem and when the next attempt follows. */
    public String shown() {
      return retrySeconds == 0
          ? trouble
          : "%s; trying again in %d s".formatted(trouble, retrySeconds);
    }
  }

  private final RequestEncoder encoding;
  private final RequestSender sender;
  private final RequestSpool spool;
  private final SendBackoff pause = new SendBackoff();
  private final Semaphore underWay = new Semaphore(MAX_UNDER_WAY_KB, true);
  private final List<Thread> threads;
  private volatile boolean closed;
  private volatile long sentSamples;
  private volatile long sentBytes;
  private volatile long refused;
  private volatile String trouble = "";
  private volatile long retrySeconds;

  /** Takes over what an earlier process left in the spool's folder. */
  public Pusher(PushTarget target, Path spoolFolder, long spoolBytes) {
    this.encoding =
        switch (target.protocol()) {
          case PYROSCOPE -> new PyroscopeEncoder();
          case OTLP -> new OtlpEncoder();
        };
    this.sender = new RequestSender(target);
    this.spool = new RequestSpool(spoolFolder, spoolBytes, MAX_MEMORY);
    this.threads =
        IntStream.range(0, SENDERS)
            .mapToObj(number -> Thread.ofVirtual().name("push-" + number).start(this::run))
            .toList();
  }

  /** Encodes a recording at once and queues it; the recording still belongs to the caller. */
  public void push(Recording recording, PushLabels labelling) {
    encoding.batches(recording, labelling).forEach(spool::add);
  }

  private void run() {
    try {
      while (!closed) {
        Optional<RequestSpool.Taken> next = spool.take(LOOK_NANOS);
        if (next.isPresent()) {
          send(next.get());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void send(RequestSpool.Taken next) throws InterruptedException {
    PushBatch batch = next.batch();
    if (batch.hasSeveralProfiles()) { // an earlier version left it
      spool.replace(next.entry(), batch.parts());
      return;
    }
    int share = Math.clamp(batch.unpackedBytes() >> 10, 1, MAX_UNDER_WAY_KB);
    underWay.acquire(share);
    try {
      if (pause.isOver() && !closed) {
        outcome(next, sender.send(batch));
      } else {
        spool.putBack(next.entry());
      }
    } finally {
      underWay.release(share);
    }
    pause.await();
  }

  private synchronized void outcome(RequestSpool.Taken sent, RequestSender.Outcome outcome) {
    PushBatch batch = sent.batch();
    switch (outcome) {
      case RequestSender.Outcome.Taken taken -> {
        sentSamples += batch.samples();
        sentBytes += batch.body().length;
        pause.end();
        spool.done(sent.entry());
        if (spool.putOff() == 0) {
          trouble("", 0);
        }
      }
      case RequestSender.Outcome.Refused no -> refused(sent, no.why());
      case RequestSender.Outcome.NotNow later -> {
        long nanos = pause.begin(later.waitNanos());
        trouble(later.why(), nanos);
        spool.putOff(sent.entry(), nanos);
      }
      case RequestSender.Outcome.TooFast later -> tooFast(sent, later);
      case RequestSender.Outcome.TooLarge large -> {
        List<PushBatch> parts = batch.parts();
        if (parts.isEmpty()) {
          refused(sent, large.why());
        } else {
          spool.replace(sent.entry(), parts);
        }
      }
    }
  }

  private void refused(RequestSpool.Taken sent, String why) {
    refused += sent.batch().samples();
    trouble(why, 0);
    spool.done(sent.entry());
  }

  /**
   * A request that is refused again and again may be larger than the receiver ever takes at once.
   */
  private void tooFast(RequestSpool.Taken sent, RequestSender.Outcome.TooFast later) {
    boolean split =
        sent.entry().delays() >= DELAYS_BEFORE_SPLIT
            && sent.batch().unpackedBytes() > WORTH_SPLITTING;
    List<PushBatch> parts = split ? sent.batch().parts() : List.of();
    if (parts.isEmpty()) {
      long nanos =
          Math.max(
              later.waitNanos(),
              SendBackoff.longer(FIRST_DELAY << Math.min(6, sent.entry().delays())));
      trouble(later.why(), nanos);
      spool.putOff(sent.entry(), nanos);
    } else {
      spool.replace(sent.entry(), parts);
    }
    // Other requests may pass, but at a lower rate.
    pause.beginShort();
  }

  private void trouble(String what, long retryNanos) {
    trouble = what;
    retrySeconds = (retryNanos + 999_999_999) / 1_000_000_000;
  }

  /** Waits until everything is sent; false if that takes longer. */
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
        trouble.isEmpty() ? spool.trouble() : trouble,
        trouble.isEmpty() ? 0 : retrySeconds);
  }

  /** Waits for answers: a request that is cut off may have been taken, and would be sent again. */
  private void awaitAnswers() {
    try {
      if (underWay.tryAcquire(MAX_UNDER_WAY_KB, LAST_ANSWERS, TimeUnit.NANOSECONDS)) {
        underWay.release(MAX_UNDER_WAY_KB);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Keeps what was not sent on disk, for the next process. */
  @Override
  public void close() {
    closed = true;
    awaitAnswers();
    threads.forEach(Thread::interrupt);
    sender.close();
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    spool.keep();
  }
}
