package dev.plumb.collect.raw;

import dev.plumb.table.LongIndex;

/** The threads that have samples, numbered: a process of {@link RawProcesses} and a tid. */
public final class RawThreads {
  private LongIndex index = new LongIndex();

  public int index(int process, int tid) {
    return index.add((long) process << 32 | Integer.toUnsignedLong(tid));
  }

  public int process(int thread) {
    return (int) (index.key(thread) >>> 32);
  }

  public int tid(int thread) {
    return (int) index.key(thread);
  }

  public int size() {
    return index.size();
  }

  /** Forgets all: processes have other numbers now. */
  public void clear() {
    index = new LongIndex();
  }
}
