package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.MapType;
import dev.plumb.linux.Epoll;
import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads ring buffer maps. A record is given as a view of the ring: it is gone when the call is
 * over. For one thread at a time.
 *
 * <pre>
 * page 0: 0 consumer position   page 1: 0 producer position   page 2…: data, mapped twice in a row
 * record: 0 length, busy bit 31, discard bit 30   4 page offset   8 data, padded to 8
 * </pre>
 */
public final class RingBuffer implements AutoCloseable {
  private static final int BUSY = 1 << 31;
  private static final int DISCARDED = 1 << 30;
  private static final int HEADER = 8;

  private static final VarHandle POSITION = JAVA_LONG.varHandle();
  private static final VarHandle LENGTH = JAVA_INT.varHandle();

  private final Epoll epoll = new Epoll();
  private final List<Source> sources = new ArrayList<>();

  /** Something that can be waited for. */
  private interface Source extends AutoCloseable {
    int read();

    @Override
    void close();
  }

  /** Reads another ring; the map stays the caller's and must stay open. */
  public void add(BpfMap map, Consumer<MemorySegment> records) {
    addWhile(
        map,
        record -> {
          records.accept(record);
          return true;
        });
  }

  /** The same; a record that is refused stays in the ring for the next time, as do those after. */
  public void addWhile(BpfMap map, Predicate<MemorySegment> records) {
    if (map.type() != MapType.RINGBUF) {
      throw new BpfException(map + " is not a ring buffer");
    }
    Ring ring = new Ring(map, records);
    sources.add(ring);
    epoll.addEdge(map.fd(), sources.size() - 1);
  }

  /** Also waits for another descriptor; {@code action} is run when it can be read. */
  public void watch(int fd, Runnable action) {
    sources.add(
        new Source() {
          @Override
          public int read() {
            action.run();
            return 0;
          }

          @Override
          public void close() {}
        });
    epoll.add(fd, sources.size() - 1);
  }

  /** Stops to wait for a descriptor of {@link #watch}. */
  public void unwatch(int fd) {
    epoll.remove(fd);
  }

  /** Waits for records and reads them; returns how many, 0 when the time is over. -1: no limit. */
  public int poll(int timeoutMillis) {
    int ready = epoll.await(timeoutMillis);
    int count = 0;
    for (int i = 0; i < ready; i++) {
      count += sources.get((int) epoll.ready(i)).read();
    }
    return count;
  }

  /** Reads what is there in all rings, without waiting; returns how many records. */
  public int consume() {
    int count = 0;
    for (Source source : sources) {
      if (source instanceof Ring) {
        count += source.read();
      }
    }
    return count;
  }

  /** Bytes written and not yet read, in all rings. */
  public long pendingBytes() {
    long bytes = 0;
    for (Source source : sources) {
      if (source instanceof Ring ring) {
        bytes += ring.pendingBytes();
      }
    }
    return bytes;
  }

  @Override
  public void close() {
    epoll.close();
    sources.forEach(Source::close);
  }

  /** One mapped ring. */
  private static final class Ring implements Source {
    private final Predicate<MemorySegment> records;
    private final MappedMemory consumerPage;
    private final MappedMemory producerPages;
    private final MemorySegment consumer;
    private final MemorySegment producer;
    private final MemorySegment data;
    private final long mask;

    Ring(BpfMap map, Predicate<MemorySegment> records) {
      long page = SystemCalls.PAGE_SIZE;
      long size = Integer.toUnsignedLong(map.maxEntries());
      Fd fd = map.descriptor();
      this.records = records;
      this.mask = size - 1;
      this.consumerPage =
          SystemCalls.mmap(
              fd, page, SystemCalls.PROT_READ | SystemCalls.PROT_WRITE, SystemCalls.MAP_SHARED, 0);
      try {
        this.producerPages =
            SystemCalls.mmap(
                fd, page + 2 * size, SystemCalls.PROT_READ, SystemCalls.MAP_SHARED, page);
      } catch (RuntimeException e) {
        consumerPage.close();
        throw e;
      }
      this.consumer = consumerPage.segment();
      this.producer = producerPages.segment();
      this.data = producer.asSlice(page);
    }

    /**
     * The producer position is read with acquire, so what it covers is written; a record's busy bit
     * likewise. The consumer position is written with release after each record, so that its room
     * is free only when we have done with it.
     */
    @Override
    public int read() {
      int count = 0;
      long position = (long) POSITION.getAcquire(consumer, 0L);
      while (true) {
        // The kernel wakes us only for a record that it finds us waiting at. So, after the last
        // one,
        // our position must be out before theirs is read; acquire and release do not say that.
        VarHandle.fullFence();
        long end = (long) POSITION.getAcquire(producer, 0L);
        if (position >= end) {
          return count;
        }
        while (position < end) {
          long at = position & mask;
          int header = (int) LENGTH.getAcquire(data, at);
          if ((header & BUSY) != 0) {
            return count;
          }
          int length = header & ~(BUSY | DISCARDED);
          long next = position + HEADER + (length + 7L) / 8 * 8;
          boolean taken = true;
          try {
            if ((header & DISCARDED) == 0) {
              taken = records.test(data.asSlice(at + HEADER, length));
              count += taken ? 1 : 0;
            }
          } finally {
            position = taken ? next : position;
            POSITION.setRelease(consumer, 0L, position);
          }
          if (!taken) {
            return count;
          }
        }
      }
    }

    long pendingBytes() {
      return (long) POSITION.getAcquire(producer, 0L) - (long) POSITION.getAcquire(consumer, 0L);
    }

    @Override
    public void close() {
      consumerPage.close();
      producerPages.close();
    }
  }
}
