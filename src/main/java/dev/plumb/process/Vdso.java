package dev.plumb.process;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The vdso, read from our own memory: it is the same in all 64-bit processes of a kernel. */
public final class Vdso {
  private static final long MAX_SIZE = 1 << 20;

  private Vdso() {}

  /** The ELF file that it is; empty if there is none. */
  public static byte[] image() {
    long[] range = new long[2];
    try (ProcReader reader = new ProcReader()) {
      ProcMaps.forEachOwn(
          reader,
          line -> {
            if (line.pathStartsWith("[vdso]")) {
              range[0] = line.start();
              range[1] = line.end();
            }
          });
    }
    long size = range[1] - range[0];
    if (size <= 0 || size > MAX_SIZE) {
      return new byte[0];
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(size, 8);
      long n = ProcessCalls.tryProcessVmRead(ProcessCalls.getpid(), range[0], copy);
      return n <= 0 ? new byte[0] : copy.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE);
    }
  }
}
