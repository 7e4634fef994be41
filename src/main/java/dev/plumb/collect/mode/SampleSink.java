package dev.plumb.collect.mode;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.raw.ClockOffsets;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.raw.RawThreads;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import java.util.List;
import java.util.Optional;

/**
 * Takes the samples of all modes: finds the stack and the thread of each, and adds it to the rows
 * of profiles.
 */
public final class SampleSink {
  private static final int MET_AT_ONCE = 1024;

  private final RawStacks stacks;
  private final RawProcesses processes;
  private final RawThreads threads;
  private final ProcessFinder finder;
  private final ClockOffsets clock;

  /** The start of the wall-clock second that was looked up last. */
  private long second;

  public SampleSink(
      RawStacks stacks,
      RawProcesses processes,
      RawThreads threads,
      ProcessFinder finder,
      ClockOffsets clock) {
    this.clock = clock;
    this.stacks = stacks;
    this.processes = processes;
    this.threads = threads;
    this.finder = finder;
  }

  /** Adds one sample to each of the profiles. */
  public void add(
      List<RawProfile> profiles,
      long time,
      long stackId,
      int tid,
      int detail,
      int cpu,
      long value) {
    int number = stacks.find(stackId);
    if (number < 0) {
      profiles.forEach(profile -> profile.loseStack(1));
      return;
    }
    int thread = thread(stacks.process(number), tid);
    for (RawProfile profile : profiles) {
      profile.add(time, stacks.stack(number), thread, detail, cpu, value);
    }
  }

  /** Adds what several events amount to: one value per type of the profiles. */
  public void addAll(List<RawProfile> profiles, KernelSum sum, int detail, long... values) {
    int number = stacks.find(sum.stack());
    if (number < 0) {
      profiles.forEach(profile -> profile.loseStack(sum.count()));
      return;
    }
    int thread = thread(stacks.process(number), sum.tid());
    for (RawProfile profile : profiles) {
      profile.addAll(sum.time(), stacks.stack(number), thread, detail, values);
    }
  }

  /**
   * Adds a wait to each of the profiles. Its time is distributed over the seconds that it covers,
   * so that no second gets more time than it has; the wait itself counts where it ends, if it does.
   */
  public void addWait(
      List<RawProfile> profiles,
      long from,
      long to,
      long stackId,
      int tid,
      int detail,
      int cpu,
      boolean ends) {
    int number = stacks.find(stackId);
    if (number < 0) {
      profiles.forEach(profile -> profile.loseStack(ends ? 1 : 0));
      return;
    }
    int thread = thread(stacks.process(number), tid);
    int stack = stacks.stack(number);
    long at = from;
    for (long next = nextSecond(from); next < to; next = nextSecond(next)) {
      for (RawProfile profile : profiles) {
        profile.addPart(next - 1, stack, thread, detail, cpu, next - at); // within its second
      }
      at = next;
    }
    for (RawProfile profile : profiles) {
      if (ends) {
        profile.add(to, stack, thread, detail, cpu, to - at);
      } else {
        profile.addPart(to - 1, stack, thread, detail, cpu, to - at);
      }
    }
  }

  /**
   * The start of the next wall-clock second. Remembered, because most waits fall into the same
   * second.
   */
  private long nextSecond(long time) {
    if (time < second || time >= second + ClockOffsets.SECOND_NANOS) {
      second = clock.startOfSecond(time);
    }
    return second + ClockOffsets.SECOND_NANOS;
  }

  /** A thread's number; a new thread is named at once, while it is alive. */
  private int thread(int process, int tid) {
    int before = threads.size();
    int thread = threads.index(process, tid);
    if (thread == before) {
      processes.image(process).ifPresent(image -> finder.nameThread(image, tid));
    }
    return thread;
  }

  /** What a process ran at a time, whether it has samples or not. */
  public Optional<ProcessImage> find(int pid, long time) {
    return processes.find(pid, time);
  }

  /** The process that the stack with this id on the kernel side belongs to. */
  public Optional<ProcessImage> processOf(long id) {
    int number = stacks.find(id);
    return number < 0 ? Optional.empty() : processes.image(stacks.process(number));
  }

  /** The number of that process; -1 if no such stack is known. */
  public int process(long id) {
    int number = stacks.find(id);
    return number < 0 ? -1 : stacks.process(number);
  }

  /**
   * Looks up the stacks whose ids are in the values of a BPF map, so that they are not forgotten.
   *
   * @param offsets where in a value the ids are
   */
  public void meet(BpfMap map, Runnable meanwhile, int... offsets) {
    int[] values = {0};
    map.forEach(
        (key, value) -> {
          for (int offset : offsets) {
            stack(value.get(JAVA_LONG, offset));
          }
          if (++values[0] % MET_AT_ONCE == 0) {
            meanwhile.run();
          }
        });
  }

  /** The stack with this id on the kernel side; -1 if none is known. */
  public int stack(long id) {
    int number = stacks.find(id);
    return number < 0 ? -1 : stacks.stack(number);
  }
}
