package dev.plumb.collect.tables;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SchedulingCalls;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.io.File;

/**
 * Gives the threads of this process priority while stacks are copied: a stack whose copy finds no
 * room in the ring buffer is cut, and among a hundred busy threads the reader would come too late.
 * The JVM's own threads are included, because the reader waits for them during garbage collections.
 * Without the privilege, nothing changes.
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
