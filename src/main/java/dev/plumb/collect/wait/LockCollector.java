package dev.plumb.collect.wait;

import dev.plumb.bpf.Links;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.DetailKeeper;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.mode.SampleSink;
import dev.plumb.collect.mode.SummingCollector;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.collect.wait.LockHolders.Holder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Locks ({@code lock.bpf.c}): how long threads wait for locks of programs and of the kernel, by
 * stack, by lock and, if the lock tells it, by the thread that held it.
 */
public final class LockCollector extends SummingCollector implements DetailKeeper, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "lock", "lock", 1, new ValueType("waits", "count"), new ValueType("time", "nanoseconds"));

  private static final long WAKE = 1L << 60;
  private static final long KERNEL = 2L << 60;
  private static final long HELD = 4L << 60;

  /** Further locks are distinguished by their stacks alone. */
  private static final int MOST_LOCKS = 1 << 16;

  /** Stands for all further locks. */
  private static final Lock ANY = new Lock(-1, 0, false, Holder.UNKNOWN);

  /**
   * @param process its process; -1 for the kernel
   * @param what its address; for kernel locks, the flags of the tracepoint
   * @param holder the thread that held it during the wait
   */
  private record Lock(int process, long what, boolean kernel, Holder holder) {
    /** The same lock, whoever held it. */
    Lock itself() {
      return new Lock(process, what, kernel, Holder.UNKNOWN);
    }
  }

  private record Release(int stack, int tid) {}

  private final SampleSink samples;
  private final WaitOptions options;
  private final boolean kernelLocks;
  private final LockHolders holders;
  private final List<Lock> locks = new ArrayList<>(List.of(ANY));
  private final Map<Lock, Integer> numbers = new HashMap<>();

  /** For each lock, who released it how often. */
  private final Map<Lock, Map<Release, Long>> releases = new HashMap<>();

  private LockCollector(
      SampleSink samples,
      List<RawProfile> profiles,
      WaitOptions options,
      LockHolders holders,
      boolean kernelLocks) {
    super("lock", Records.LOCK, probes(kernelLocks), samples, profiles);
    this.samples = samples;
    this.holders = holders;
    this.options = options;
    this.kernelLocks = kernelLocks;
  }

  /** The kernel reports contention on its own locks since Linux 5.19. */
  public static LockCollector make(
      SampleSink samples, List<RawProfile> profiles, WaitOptions options, LockHolders holders) {
    boolean told =
        KernelTypes.running().kernel().find("btf_trace_contention_begin", BtfKind.TYPEDEF) > 0;
    return new LockCollector(samples, profiles, options, holders, told);
  }

  private static List<Probe> probes(boolean kernelLocks) {
    List<Probe> probes = new ArrayList<>();
    probes.add(syscall("sys_enter_futex", "on_enter"));
    probes.add(syscall("sys_exit_futex", "on_leave"));
    probes.add(Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"));
    if (kernelLocks) {
      probes.add(Probe.tracepoint("contention_begin", "on_begin_btf", "on_begin_raw"));
      probes.add(Probe.tracepoint("contention_end", "on_end_btf", "on_end_raw"));
    }
    return probes;
  }

  private static Probe syscall(String name, String program) {
    return new Probe(
        name,
        List.of(
            new Probe.Way(program, c -> Links.tracepoint(c.program(program), "syscalls", name))));
  }

  @Override
  protected void settings(CollectionSpec spec) {
    spec.setVariable("min_block_ns", options.minNanos());
    spec.setVariable("max_block_ns", options.maxNanos());
    if (!kernelLocks) {
      List.of("on_begin_btf", "on_end_btf").forEach(p -> spec.program(p).autoload(false));
    }
  }

  @Override
  public void takeSum(KernelSum sum) {
    if ((sum.detail() & KERNEL) != 0) {
      Lock lock = new Lock(-1, sum.detail() & ~KERNEL, true, Holder.UNKNOWN);
      add(sum, number(lock), sum.count(), sum.value());
    } else if ((sum.detail() & WAKE) == 0) {
      add(sum, number(userLock(sum)), sum.count(), sum.value());
    } else if (releases.size() < MOST_LOCKS) {
      int process = samples.process(sum.stack());
      releases
          .computeIfAbsent(
              new Lock(process, sum.detail() & ~WAKE, false, Holder.UNKNOWN), x -> new HashMap<>())
          .merge(new Release(samples.stack(sum.stack()), sum.tid()), sum.value(), Long::sum);
    }
  }

  private Lock userLock(KernelSum sum) {
    int process = samples.process(sum.stack());
    if ((sum.detail() & HELD) == 0) {
      return new Lock(process, sum.detail(), false, Holder.UNKNOWN);
    }
    return LockHolders.held(programs().map("held_mutexes"), sum.detail())
        .map(
            held ->
                new Lock(
                    process,
                    held.address(),
                    false,
                    holders.find(process, samples.processOf(sum.stack()), held.owner())))
        .orElse(ANY);
  }

  private int number(Lock lock) {
    Integer known = numbers.get(lock);
    if (known != null) {
      return known;
    }
    if (locks.size() >= MOST_LOCKS) {
      return 0;
    }
    numbers.put(lock, locks.size());
    locks.add(lock);
    return locks.size() - 1;
  }

  @Override
  public Labels labels(int stack, int thread, int detail, Naming naming) {
    Lock lock = locks.get(detail);
    if (lock.equals(ANY)) {
      return Labels.NONE;
    }
    String kind = kind(lock, stack, naming);
    Labels labels = Labels.of("lock", kind);
    if (lock.kernel()) {
      return labels;
    }
    labels = labels.with("address", "0x" + Long.toHexString(lock.what()));
    if (LockKind.isHeld(kind)) {
      labels = labels.with("holder", lock.holder().text());
    }
    Optional<Integer> released = released(lock);
    return released.isPresent() ? labels.with("released", naming.line(released.get())) : labels;
  }

  /**
   * The stack that releases a lock most often; only the holder's stacks, if the holder is known.
   */
  private Optional<Integer> released(Lock lock) {
    int holder = lock.holder().tid();
    return releases.getOrDefault(lock.itself(), Map.of()).entrySet().stream()
        .filter(release -> release.getKey().stack() >= 0)
        .filter(release -> holder == 0 || release.getKey().tid() == holder)
        .max(Comparator.comparingLong(Map.Entry::getValue))
        .map(release -> release.getKey().stack());
  }

  @Override
  public void forget() {
    numbers.clear();
    locks.clear();
    locks.add(ANY);
    releases.clear();
    holders.forget();
  }

  @Override
  public boolean isLarge() {
    return locks.size() > MOST_LOCKS / 2 || releases.size() > MOST_LOCKS / 2;
  }

  private static String kind(Lock lock, int stack, Naming naming) {
    return lock.kernel() ? LockKind.ofKernel(lock.what()) : LockKind.ofUser(naming.line(stack));
  }

  @Override
  public Optional<Frame> leaf(int stack, int thread, int detail, Naming naming) {
    String kind = kind(locks.get(detail), stack, naming);
    return Optional.of(Frame.ofName("[" + kind + "]", FrameKind.WAITING));
  }
}
