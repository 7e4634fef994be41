package dev.plumb.collect.memory;

import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.Program;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.proc.ProcReader;
import java.lang.foreign.Arena;
import java.util.List;

/** What the trap of a uprobe costs on this machine, measured by probing ourselves. */
final class UprobeCost {
  private static final int CALLS = 2000;
  private static final int ROUNDS = 3;

  /** For machines where it cannot be measured. */
  private static final double USUAL_NANOS = 1000;

  private UprobeCost() {}

  /** Nanoseconds, with a program that does nothing for us. */
  static double measure(Program program) {
    int self = ProcessCalls.getpid();
    List<Allocator> own;
    try (ProcReader reader = new ProcReader()) {
      own = new Allocators("").of(reader, self);
    }
    if (own.isEmpty()) {
      return USUAL_NANOS;
    }
    allocate(); // warm-up
    double without = allocate();
    Allocator allocator = own.getFirst();
    try (Link _ =
        Links.uprobeMulti(
            program,
            allocator.path().toString(),
            allocator.places().get(AllocatorFunction.MALLOC),
            new long[0],
            new long[0],
            false,
            self)) {
      return Math.max(allocate() - without, 0);
    }
  }

  /** Nanoseconds per allocation, which the JVM makes by malloc; the best of some rounds. */
  private static double allocate() {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long since = System.nanoTime();
      for (int i = 0; i < CALLS; i++) {
        try (Arena arena = Arena.ofConfined()) {
          arena.allocate(64);
        }
      }
      best = Math.min(best, System.nanoTime() - since);
    }
    return (double) best / CALLS;
  }
}
