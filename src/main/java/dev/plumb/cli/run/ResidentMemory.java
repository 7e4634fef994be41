package dev.plumb.cli.run;

import dev.plumb.linux.kernel.KernelFile;

/** The resident memory of a process. */
public final class ResidentMemory {
  private static final long PAGE_BYTES = 4096;

  private ResidentMemory() {}

  public static long ofThis() {
    return of("self");
  }

  public static long of(long pid) {
    return of(Long.toString(pid));
  }

  /** The second number of statm; 0 if the process has ended. */
  private static long of(String process) {
    return KernelFile.read("/proc/" + process + "/statm")
        .map(text -> Long.parseLong(text.split(" ")[1]) * PAGE_BYTES)
        .orElse(0L);
  }
}
