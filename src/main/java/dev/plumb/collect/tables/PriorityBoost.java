package dev.plumb.collect.tables;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SchedulingCalls;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.io.File;

/**
 * Lets the threads of this process go before others while stacks have to be copied: each that finds
 * no room in the ring is cut, and on a machine with a hundred busy threads, whoever is but one of
 * them comes too late. The JVM's own threads go with the one that reads: it waits for them whenever
 * memory is collected. Without the right to do so, nothing changes.
 */
public final class PriorityBoost {
  private static final int NICE = -15;

  /** The one that looks up names in the background, which may take its time. */
  private static final String NAMES = "names";

  private boolean begun;
  private int before;

  void begin() {
    if (!begun) {
      begun = true;
      before = SchedulingCalls.niceValue();
      if (before > NICE && SchedulingCalls.trySetNice(NICE) == 0) {
        set(NICE);
      }
    }
  }

  void end() {
    if (begun) {
      begun = false;
      SchedulingCalls.trySetNice(before);
      set(before);
    }
  }

  /** Gives all threads of this process a priority, and those that they will start. */
  public static void set(int nice) {
    int pid = ProcessCalls.getpid();
    String[] tids = new File("/proc/self/task").list();
    try (ProcReader reader = new ProcReader()) {
      for (String tid : tids == null ? new String[0] : tids) {
        int number = Integer.parseInt(tid);
        boolean names =
            ProcStat.read(reader, pid, number).filter(s -> s.comm().equals(NAMES)).isPresent();
        if (!names) {
          SchedulingCalls.trySetNice(number, nice);
        }
      }
    }
  }
}
