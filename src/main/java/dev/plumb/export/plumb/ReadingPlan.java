package dev.plumb.export.plumb;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ThreadInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which details of a file are read, so that it fits into memory: all, or fewer, so that there are
 * fewer rows. The sums are the same in any case.
 *
 * @param withoutLabels the names of labels that are left out
 * @param withoutThreads whether all threads of a process are merged
 * @param maxStacks how many stacks are kept apart; further stacks keep only their leaf
 */
record ReadingPlan(Set<String> withoutLabels, boolean withoutThreads, long maxStacks) {
  static final ReadingPlan EVERYTHING = new ReadingPlan(Set.of(), false, Long.MAX_VALUE);

  /** A stack in its table, with the slots that find it. */
  private static final long STACK_BYTES = 24;

  ReadingPlan {
    withoutLabels = Set.copyOf(withoutLabels);
  }

  boolean canBeSmaller() {
    return maxStacks == Long.MAX_VALUE;
  }

  /** The next plan, after this one took too much memory. */
  ReadingPlan smaller(Collection<PlumbProfileIn> profiles, int stacks, long maxBytes) {
    Map<String, Long> labels = new HashMap<>();
    profiles.forEach(p -> p.labelBytes().forEach((name, n) -> labels.merge(name, n, Long::sum)));
    var largest = labels.entrySet().stream().max(Map.Entry.comparingByValue());
    if (largest.isPresent() && largest.get().getValue() > maxBytes / 16) {
      Set<String> names = new TreeSet<>(withoutLabels);
      names.add(largest.get().getKey());
      return new ReadingPlan(names, withoutThreads, maxStacks);
    }
    return withoutThreads || stackBytes(stacks) > maxBytes / 2
        ? new ReadingPlan(withoutLabels, true, maxBytes / 2 / STACK_BYTES)
        : new ReadingPlan(withoutLabels, true, maxStacks);
  }

  long stackBytes(int stacks) {
    return STACK_BYTES * stacks;
  }

  Labels of(Labels labels) {
    if (withoutLabels.isEmpty()) {
      return labels;
    }
    TreeMap<String, String> rest = new TreeMap<>(labels.values());
    rest.keySet().removeAll(withoutLabels);
    return new Labels(rest);
  }

  ThreadInfo of(ThreadInfo thread) {
    return withoutThreads
        ? new ThreadInfo(
            thread.pid(),
            thread.pid(),
            thread.innerPid(),
            thread.startNanos(),
            thread.processComm(),
            thread.processComm(),
            thread.cgroup())
        : thread;
  }

  /** What was left out, for people. */
  List<String> leftOut() {
    List<String> texts = new ArrayList<>();
    if (!withoutLabels.isEmpty()) {
      texts.add(
          "to fit into memory, these labels are left out: %s; PLUMB_HEAP=4g reads more"
              .formatted(String.join(", ", new TreeSet<>(withoutLabels))));
    }
    if (withoutThreads) {
      texts.add("to fit into memory, threads are added up by process; PLUMB_HEAP=4g reads more");
    }
    if (maxStacks != Long.MAX_VALUE) {
      texts.add(
          "to fit into memory, only %,d stacks are told apart; PLUMB_HEAP=4g reads more"
              .formatted(maxStacks));
    }
    return texts;
  }
}
