package dev.plumb.symbols.jit;

import dev.plumb.linux.Clock;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.util.ArrayList;
import java.util.List;

/** What tests ask of the processes they started. */
final class Processes {
  private Processes() {}

  static long now() {
    return SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
  }

  static JitProcess of(int pid) {
    Clock clock = Clock.take();
    try (ProcReader reader = new ProcReader()) {
      long boot = ProcStat.read(reader, pid).orElseThrow().startBootNanos();
      long start = clock.wallOfBoot(boot) - clock.monotonicOffset();
      return new JitProcess(pid, start, start);
    }
  }

  /** Start and end of each executable mapping without a file. */
  static List<long[]> anonymousCode(int pid) {
    List<long[]> ranges = new ArrayList<>();
    try (ProcReader reader = new ProcReader()) {
      ProcMaps.forEach(
          reader,
          pid,
          line -> {
            if (line.executable() && line.inode() == 0 && !line.hasPath()) {
              ranges.add(new long[] {line.start(), line.end()});
            }
          });
    }
    return ranges;
  }

  static boolean isIn(List<long[]> ranges, long address) {
    return ranges.stream().anyMatch(r -> address >= r[0] && address < r[1]);
  }
}
