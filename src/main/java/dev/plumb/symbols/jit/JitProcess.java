package dev.plumb.symbols.jit;

import dev.plumb.process.ProcessImage;

/**
 * Whose code it is: one program run by one process.
 *
 * @param pid as this process sees it
 * @param processStart when the process began, CLOCK_MONOTONIC nanoseconds
 * @param from when it began to run this program, CLOCK_MONOTONIC nanoseconds
 */
public record JitProcess(int pid, long processStart, long from) {
  public static JitProcess of(ProcessImage image) {
    return new JitProcess(image.pid(), image.processStart(), image.from());
  }
}
