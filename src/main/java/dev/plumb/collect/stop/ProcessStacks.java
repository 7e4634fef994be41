package dev.plumb.collect.stop;

import java.util.List;

/**
 * The stacks of a process's threads at one moment.
 *
 * @param stoppedNanos from when the first was stopped until the last went on
 * @param notes what is missing of all of them, and what to do about it
 */
public record ProcessStacks(
    int pid, String comm, List<ThreadStack> threads, long stoppedNanos, List<String> notes) {
  public ProcessStacks {
    threads = List.copyOf(threads);
    notes = List.copyOf(notes);
  }
}
