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

/** Where collectors put what they take: finds a sample's stack and thread, adds it to its rows. */
public final class SampleSink {
  private static final int MET_AT_ONCE = 1024;

  private final RawStacks stacks;
  private final RawProcesses processes;
  private final RawThreads threads;
  private final ProcessFinder finder;
  private final ClockOffsets clock;

  /** When the second began that was asked for last. */
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

  /** Adds what several events amount to: a value for each of the profiles' types. */
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
   * Adds a wait to each of the profiles: its time to the seconds that it covers, so that no second
   * has more of it than there is in a second; the wait itself where it ends, if it does.
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

  /** When the wall clock's next second begins; waits are many, most of them in the same second. */
  private long nextSecond(long time) {
    if (time < second || time >= second + ClockOffsets.SECOND_NANOS) {
      second = clock.startOfSecond(time);
    }
    return second + ClockOffsets.SECOND_NANOS;
  }

  /** A thread's number; one that is new is named while it is alive. */
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

  /** The process of what the kernel side calls {@code id}, as it was then. */
  public Optional<ProcessImage> processOf(long id) {
    int number = stacks.find(id);
    return number < 0 ? Optional.empty() : processes.image(stacks.process(number));
  }

  /** The number of that process; -1 if there is no such stack. */
  public int process(long id) {
    int number = stacks.find(id);
    return number < 0 ? -1 : stacks.process(number);
  }

  /**
   * Looks up the stacks that the values of a map of the kernel side name: they must not be
   * forgotten.
   *
   * @param offsets where in a value they stand
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

  /** The stack that the kernel side calls {@code id}; -1 if there is none. */
  public int stack(long id) {
    int number = stacks.find(id);
    return number < 0 ? -1 : stacks.stack(number);
  }
}
