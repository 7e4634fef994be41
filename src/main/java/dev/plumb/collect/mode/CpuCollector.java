package dev.plumb.collect.mode;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.CpuClocks;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.linux.kernel.KernelFile;
import dev.plumb.linux.kernel.NumaNodes;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalLong;

/**
 * On-CPU time: a timer on each CPU ({@code cpu.bpf.c}). A sample stands for one period of CPU time.
 */
public final class CpuCollector implements Collector, RecordTaker, RowNamer, FrequencySampler {
  /** Less than this says nothing about a rate. */
  private static final long MIN_BUSY_NANOS = 100_000_000;

  private final SampleSink samples;
  private final List<RawProfile> profiles;

  /** Empty on a machine with one node. */
  private final int[] nodes = NumaNodes.ofCpus();

  private final int hertz;
  private final long period;
  private KernelPrograms kernel;
  private Collection programs;
  private CpuClocks clocks;
  private long cpuNanos;
  private long idleBefore;
  private OptionalLong idleAtEnd = OptionalLong.empty();
  private long lastTick;

  public CpuCollector(SampleSink samples, List<RawProfile> profiles, int hertz) {
    this.samples = samples;
    this.profiles = profiles;
    this.hertz = hertz;
    this.period = period(hertz);
  }

  public static RawProfile.Meaning meaning(int hertz) {
    return new RawProfile.Meaning(
        "cpu",
        "process_cpu",
        List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
        1,
        new ValueType("cpu", "nanoseconds"),
        period(hertz));
  }

  private static long period(int hertz) {
    return 1_000_000_000L / hertz;
  }

  @Override
  public void load(KernelPrograms side) {
    kernel = side;
    programs = side.load("cpu");
  }

  @Override
  public void start() {
    clocks = new CpuClocks(programs.program("on_tick"), hertz);
    lastTick = System.nanoTime();
    idleBefore = idleNow();
  }

  /** CPUs come and go. */
  @Override
  public void tick() {
    long now = System.nanoTime();
    cpuNanos += (now - lastTick) * clocks.size();
    lastTick = now;
    clocks.follow();
  }

  @Override
  public int recordKind() {
    return Records.CPU;
  }

  @Override
  public List<Collection> objects() {
    return List.of(programs);
  }

  @Override
  public void take(MemorySegment record) {
    if (nodes.length == 0) {
      take(record, profiles, 0);
      return;
    }
    int node = nodes[Math.min(record.get(JAVA_INT, Records.CPU_OFFSET), nodes.length - 1)];
    for (RawProfile profile : profiles) {
      boolean own =
          profile.meaning().mode().equals("cpu"); // in mode wall, details are those of waits
      take(record, List.of(profile), own ? node : 0);
    }
  }

  private void take(MemorySegment record, List<RawProfile> into, int detail) {
    samples.add(
        into,
        record.get(JAVA_LONG, Records.TIME_OFFSET),
        record.get(JAVA_LONG, Records.STACK_OFFSET),
        record.get(JAVA_INT, Records.TID_OFFSET),
        detail,
        record.get(JAVA_INT, Records.CPU_OFFSET),
        period);
  }

  /** The node it ran on, where there are several. */
  @Override
  public Labels labels(int stack, int thread, int node, Naming naming) {
    return nodes.length == 0 ? Labels.NONE : Labels.of("node", Integer.toString(node));
  }

  @Override
  public void stop() {
    cpuNanos += (System.nanoTime() - lastTick) * clocks.size();
    idleAtEnd = OptionalLong.of(idleNow());
    clocks.close();
  }

  @Override
  public double rateAsked() {
    return hertz;
  }

  /**
   * Counts busy CPUs only: an idle CPU may sleep through its timer, and no sample is missing then.
   */
  @Override
  public double rateHeld() {
    long idleNanos = idleAtEnd.orElseGet(CpuCollector::idleNow) - idleBefore;
    long busyNanos = cpuNanos - idleNanos;
    long ticks = kernel.counter(programs, Counter.TICKS) - kernel.counter(programs, Counter.IDLE);
    return busyNanos < MIN_BUSY_NANOS ? hertz : ticks * 1e9 / busyNanos;
  }

  /**
   * How long all CPUs have been idle so far, waiting for disks included; the kernel counts in steps
   * of 10 ms.
   */
  private static long idleNow() {
    // cpu user nice system idle iowait …
    String[] words = KernelFile.read("/proc/stat").orElse("cpu 0 0 0 0 0").split("\\s+", 7);
    return (Long.parseLong(words[4]) + Long.parseLong(words[5])) * 10_000_000;
  }

  @Override
  public void close() {
    if (clocks != null) {
      clocks.close();
    }
    if (programs != null) {
      programs.close();
    }
  }
}
