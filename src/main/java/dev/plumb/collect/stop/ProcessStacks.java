package dev.plumb.collect.stop;

import java.util.List;

/**
 * The stacks of a process's threads at one moment.
 *
 * @param stoppedNanos from the stop of the first thread until the last was resumed
 * @param notes what all stacks lack, and what to do about it
 */
public record ProcessStacks(
    int pid, String comm, List<ThreadStack> threads, long stoppedNanos, List<String> notes) {
  public ProcessStacks {
    threads = List.copyOf(threads);
    notes = List.copyOf(notes);
  }
}
