package dev.plumb.collect;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SchedulingCalls;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.io.File;

/**
 * Lets the thread that reads the ring buffer run whenever it has to.
 *
 * <p>A nice value counts only among the threads of one group: of one session where the kernel
 * groups by sessions ({@code sched_autogroup_enabled}), of one cgroup elsewhere. On a machine where
 * ten groups are busy, the reader would have a tenth of a CPU, whatever its nice value is.
 * Real-time threads are ahead of all groups; the lowest priority of them is enough. The reader
 * works for some milliseconds and then sleeps, except when it cuts off a part: that takes it up to
 * some tenths of a second on a busy machine, and if that waited for others, the ring would be full
 * meanwhile.
 *
 * <p>The JVM's own thread that collects memory goes along, because the reader waits for it. What
 * the reader starts does not inherit any of this. Without the right to do so (CAP_SYS_NICE),
 * nothing changes.
 */
final class ReaderPriority {
  private static final String COLLECTING_THREAD = "VM Thread";

  /** The calling thread, for the kernel. */
  private static final int SELF = 0;

  private boolean isRaised;

  private int collectingThread;

  /** The calling thread begins to read. */
  void raise() {
    if (!isRaised && SchedulingCalls.trySetRealTime(SELF) == 0) {
      isRaised = true;
      collectingThread = findCollectingThread();
      SchedulingCalls.trySetRealTime(collectingThread);
    }
  }

  /** The calling thread, the same one, does something else now. */
  void lower() {
    if (isRaised) {
      isRaised = false;
      SchedulingCalls.trySetTimeShared(SELF);
      SchedulingCalls.trySetTimeShared(collectingThread);
    }
  }

  private static int findCollectingThread() {
    int pid = ProcessCalls.getpid();
    String[] tids = new File("/proc/self/task").list();
    try (ProcReader reader = new ProcReader()) {
      for (String tid : tids == null ? new String[0] : tids) {
        int number = Integer.parseInt(tid);
        if (ProcStat.read(reader, pid, number)
            .filter(stat -> stat.comm().equals(COLLECTING_THREAD))
            .isPresent()) {
          return number;
        }
      }
    }
    return SELF;
  }
}
