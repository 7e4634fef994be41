package dev.plumb.collect;

import dev.plumb.collect.tables.PriorityBoost;
import dev.plumb.linux.SchedulingCalls;

/**
 * The nice value of this process while it records: what is recorded must not starve Plumb. Closing
 * it restores that of the calling thread.
 */
public final class ProcessPriority implements AutoCloseable {
  private static final int RECORDING_NICE = -10;

  private final int before = SchedulingCalls.niceValue();

  /**
   * Raises the priority of all threads. Commands that are recorded must have been started: they
   * would inherit it.
   */
  public void raise() {
    int nice = Math.min(SchedulingCalls.niceValue(), RECORDING_NICE);
    if (SchedulingCalls.trySetNice(nice) == 0) {
      PriorityBoost.set(nice);
    }
  }

  @Override
  public void close() {
    SchedulingCalls.trySetNice(before);
  }
}
