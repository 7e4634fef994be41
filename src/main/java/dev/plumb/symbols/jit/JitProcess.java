package dev.plumb.symbols.jit;

import dev.plumb.process.ProcessImage;

/**
 * The owner of JIT code: one program in one process.
 *
 * @param pid as this process sees it
 * @param processStart when the process started, CLOCK_MONOTONIC in nanoseconds
 * @param from when it started this program (exec), CLOCK_MONOTONIC in nanoseconds
 */
public record JitProcess(int pid, long processStart, long from) {
  public static JitProcess of(ProcessImage image) {
    return new JitProcess(image.pid(), image.processStart(), image.from());
  }
}
