package dev.plumb.collect;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.mode.Collector;
import java.util.HashMap;
import java.util.Map;

/**
 * What was lost, by collector and by reason. Each object of the kernel side counts its own losses,
 * so a loss belongs to the collector whose event it was.
 */
final class Losses {
  private final KernelPrograms kernel;
  private final Map<Collector, Map<String, Long>> before = new HashMap<>();

  Losses(KernelPrograms kernel) {
    this.kernel = kernel;
  }

  /** All that the kernel side lost of a collector's events so far. */
  long total(Collector collector) {
    return now(collector).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The same since the last time that this was asked for, by reason. */
  Map<String, Long> since(Collector collector) {
    Map<String, Long> now = now(collector);
    Map<String, Long> old = before.getOrDefault(collector, Map.of());
    before.put(collector, now);
    Map<String, Long> since = new HashMap<>();
    now.forEach((reason, n) -> put(since, reason, n - old.getOrDefault(reason, 0L)));
    return since;
  }

  private Map<String, Long> now(Collector collector) {
    Map<String, Long> losses = new HashMap<>();
    for (Collection object : collector.objects()) {
      for (Counter counter : Counter.values()) {
        if (counter.isLoss()) {
          put(losses, counter.lossText(), kernel.counter(object, counter));
        }
      }
      put(losses, "event within an event", object.missedCalls());
    }
    return losses;
  }

  private static void put(Map<String, Long> losses, String reason, long n) {
    if (n > 0) {
      losses.merge(reason, n, Long::sum);
    }
  }
}
