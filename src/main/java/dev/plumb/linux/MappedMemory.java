package dev.plumb.linux;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A range of memory that mmap gave us. Its segment must not be used after {@link #close()}. */
public final class MappedMemory implements AutoCloseable {
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final MemorySegment segment;
  private final AtomicBoolean closed = new AtomicBoolean();

  MappedMemory(long address, long size) {
    this.segment = MemorySegment.ofAddress(address).reinterpret(size);
    OPEN.incrementAndGet();
  }

  public MemorySegment segment() {
    return segment;
  }

  /** The mappings owned and not yet closed, for leak checks. */
  public static int openCount() {
    return OPEN.get();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      OPEN.decrementAndGet();
      SystemCalls.munmap(segment.address(), segment.byteSize());
    }
  }
}
