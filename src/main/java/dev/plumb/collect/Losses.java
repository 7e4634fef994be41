package dev.plumb.collect;

import java.util.HashMap;
import java.util.Map;

/** What was lost, by reason. */
final class Losses {
  private final KernelSide kernel;
  private final RawStacks stacks;
  private final Samples samples;
  private final RowRoom rows;
  private Map<String, Long> before = Map.of();

  Losses(KernelSide kernel, RawStacks stacks, Samples samples, RowRoom rows) {
    this.kernel = kernel;
    this.stacks = stacks;
    this.samples = samples;
    this.rows = rows;
  }

  /** All so far. */
  long total() {
    long lost = samples.withoutStack() + rows.refused() + kernel.missedEvents();
    for (Counter counter : Counter.values()) {
      lost += counter.isLoss() ? kernel.counter(counter) : 0;
    }
    return lost;
  }

  /** Since the last time that this was asked for. */
  Map<String, Long> since() {
    Map<String, Long> now = now();
    Map<String, Long> since = new HashMap<>();
    now.forEach((reason, n) -> put(since, reason, n - before.getOrDefault(reason, 0L)));
    before = now;
    return since;
  }

  private Map<String, Long> now() {
    Map<String, Long> losses = new HashMap<>();
    for (Counter counter : Counter.values()) {
      if (counter.isLoss()) {
        put(losses, counter.lossText(), kernel.counter(counter));
      }
    }
    put(losses, "event within an event", kernel.missedEvents());
    put(
        losses,
        stacks.refused() > 0
            ? "too many different stacks (PLUMB_HEAP=1g holds more)"
            : "stack never arrived",
        samples.withoutStack());
    put(losses, "too many stacks of too many threads (PLUMB_HEAP=1g holds more)", rows.refused());
    return losses;
  }

  private static void put(Map<String, Long> losses, String reason, long n) {
    if (n > 0) {
      losses.put(reason, n);
    }
  }
}
