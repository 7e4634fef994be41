package dev.plumb.testing;

import java.lang.management.ManagementFactory;

/** What this thread has had of a CPU: others may use the machine too. */
public final class OwnTime {
  private OwnTime() {}

  public static long nanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
