package dev.plumb.collect;

import java.util.List;

/** Where collectors put what they take: finds a sample's stack and thread, adds it to its rows. */
final class Samples {
  private final RawStacks stacks;
  private final RawThreads threads;
  private long withoutStack;

  Samples(RawStacks stacks, RawThreads threads) {
    this.stacks = stacks;
    this.threads = threads;
  }

  /** Adds one sample to each of the profiles. */
  void add(
      List<RawProfile> profiles,
      long time,
      long stackId,
      int tid,
      int detail,
      int cpu,
      long value) {
    int stack = stacks.find(stackId);
    if (stack < 0) {
      withoutStack++;
      return;
    }
    int thread = threads.index(stacks.process(stack), tid);
    for (RawProfile profile : profiles) {
      profile.add(time, stack, thread, detail, cpu, value);
    }
  }

  RawStacks stacks() {
    return stacks;
  }

  /** Samples whose stack never arrived. */
  long withoutStack() {
    return withoutStack;
  }
}
