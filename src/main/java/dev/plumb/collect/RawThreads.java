package dev.plumb.collect;

/** The threads that have samples, numbered: a process of {@link RawProcesses} and a tid. */
final class RawThreads {
  private LongIndex index = new LongIndex();

  int index(int process, int tid) {
    return index.add((long) process << 32 | Integer.toUnsignedLong(tid));
  }

  int process(int thread) {
    return (int) (index.key(thread) >>> 32);
  }

  int tid(int thread) {
    return (int) index.key(thread);
  }

  int size() {
    return index.size();
  }

  /** Forgets all: processes have other numbers now. */
  void clear() {
    index = new LongIndex();
  }
}
