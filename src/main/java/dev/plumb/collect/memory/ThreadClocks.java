package dev.plumb.collect.memory;

import dev.plumb.linux.SyscallException;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * The CPU time of threads, by perf counters: the times in /proc are only as recent as the last
 * tick, which may be a good part of a window ago.
 */
final class ThreadClocks implements AutoCloseable {
  /** Each counter is an open file, and costs a little at each context switch of its thread. */
  private static final int MOST = 256;

  /** A counter, and whether it was read since {@link #forgetUnread} was last called. */
  private static final class Clock {
    final PerfEvent event;
    boolean read;

    Clock(PerfEvent event) {
      this.event = event;
    }
  }

  private final Map<Integer, Clock> clocks = new HashMap<>();

  /**
   * CPU time since the first call for this thread; {@link ChurnEstimate#UNKNOWN} if it has no
   * counter.
   */
  long nanos(int tid) {
    Clock clock = clocks.get(tid);
    if (clock == null) {
      if (clocks.size() >= MOST) {
        return ChurnEstimate.UNKNOWN;
      }
      try {
        PerfEventAttr attr = PerfEventAttr.software(PerfEventAttr.SW_TASK_CLOCK);
        clock = new Clock(PerfEvent.open(attr, tid, PerfEvent.ANY_CPU));
      } catch (SyscallException e) {
        return ChurnEstimate.UNKNOWN; // the thread has ended
      }
      clocks.put(tid, clock);
    }
    clock.read = true;
    return clock.event.read();
  }

  /** Closes the counters that were not read since the last call: their threads have ended. */
  void forgetUnread() {
    for (Iterator<Clock> all = clocks.values().iterator(); all.hasNext(); ) {
      Clock clock = all.next();
      if (!clock.read) {
        clock.event.close();
        all.remove();
      }
      clock.read = false;
    }
  }

  @Override
  public void close() {
    clocks.values().forEach(clock -> clock.event.close());
    clocks.clear();
  }
}
