package dev.plumb.collect;

import java.util.Arrays;

/** The threads that have samples, numbered: a process of {@link RawProcesses} and a tid. */
final class RawThreads {
  private final LongIndex index = new LongIndex();
  private boolean[] named = new boolean[256];

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

  /** Whether this is the first time it is asked for this thread. */
  boolean firstTime(int thread) {
    if (thread >= named.length) {
      named = Arrays.copyOf(named, Math.max(thread + 1, named.length * 2));
    }
    boolean first = !named[thread];
    named[thread] = true;
    return first;
  }
}
