package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.RingBuffer;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.tables.Unwinding;
import java.lang.foreign.MemorySegment;

/**
 * Reads the ring buffer, and the events of processes before it: a record is taken only when it is
 * known what its process had mapped at that time. For one thread.
 */
final class EventReader implements AutoCloseable {
  private static final int POLL_MILLIS = 100;

  /** Where tables are made, more are wanted soon: the sooner they are, the fewer copies come. */
  private static final int SOON_MILLIS = 2;

  private final RingBuffer ring = new RingBuffer();
  private final ProcessTracking tracking;
  private final RawStacks stacks;
  private final Unwinding unwinding;
  private final ActiveModes modes;

  /** The ring holds a copy of a stack that was too young to be taken. */
  private boolean copiesPending;

  private long lastRead;

  EventReader(ProcessTracking tracking, RawStacks stacks, Unwinding unwinding, ActiveModes modes) {
    this.tracking = tracking;
    this.stacks = stacks;
    this.unwinding = unwinding;
    this.modes = modes;
  }

  void open(KernelPrograms kernel) {
    ring.addWhile(kernel.records(), this::take);
  }

  /** Waits for records, at most so long, and reads. */
  void poll(long maxNanos) {
    boolean soon = copiesPending || unwinding.isBehind() || unwinding.hasLearnt();
    int longest = soon ? SOON_MILLIS : POLL_MILLIS;
    ring.poll((int) Math.min(longest, maxNanos / 1_000_000 + 1));
    read();
  }

  /** Reads what has come; the kernel side wakes this thread only when the ring fills up. */
  void read() {
    copiesPending = false;
    tracking.drain();
    unwinding.write(); // of what was mapped since: until then stacks there are copied
    ring.consume();
    unwinding.catchUp(stacks);
    tracking.forgetEnded();
    tracking.scanSome();
    unwinding.write();
    lastRead = System.nanoTime();
  }

  /** The same if it is time, amid work that may take longer than the ring has room for. */
  void readNowAndThen() {
    if (System.nanoTime() - lastRead > POLL_MILLIS * 1_000_000L) {
      read();
    }
  }

  /** Reads everything when no more will come. */
  void readAll() {
    tracking.drainAll();
    ring.consume();
  }

  /** Takes a record unless it is so young that what its process did before it may be unknown. */
  private boolean take(MemorySegment record) {
    int kind = record.get(JAVA_INT, Records.KIND_OFFSET);
    boolean isStack = kind == Records.STACK || kind == Records.COPY;
    int timeOffset = isStack ? Records.STACK_TIME_OFFSET : Records.TIME_OFFSET;
    if (record.get(JAVA_LONG, timeOffset) > tracking.settled()) {
      copiesPending |= kind == Records.COPY;
      return false;
    }
    if (kind == Records.STACK) {
      stacks.add(record);
      return true;
    }
    if (kind == Records.COPY) {
      unwinding.take(record, stacks, tracking.processes());
      return true;
    }
    modes.take(kind, record);
    return true;
  }

  @Override
  public void close() {
    ring.close();
  }
}
