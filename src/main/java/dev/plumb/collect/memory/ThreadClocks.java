package dev.plumb.collect.memory;

import dev.plumb.linux.SyscallException;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * The CPU time of threads, by perf's counters: what /proc says is only as new as the last tick of
 * the kernel's clock, and that is a good part of a window.
 */
final class ThreadClocks implements AutoCloseable {
  /** Each one is a file, and costs a little at each of its thread's context switches. */
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

  /** Since it was asked for first; {@link ChurnEstimate#UNKNOWN} if it has none. */
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
        return ChurnEstimate.UNKNOWN; // it has ended
      }
      clocks.put(tid, clock);
    }
    clock.read = true;
    return clock.event.read();
  }

  /** Those that nobody has asked for any more: their threads have ended. */
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
