package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.linux.Cpus;
import dev.plumb.linux.Errno;
import dev.plumb.linux.KernelFile;
import dev.plumb.linux.PerfEvent;
import dev.plumb.linux.PerfEventAttr;
import dev.plumb.linux.PerfEventAttr.Flag;
import dev.plumb.linux.SyscallException;
import dev.plumb.profile.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * On-CPU time: a timer on each CPU ({@code cpu.bpf.c}). A sample stands for one period of CPU time.
 */
final class CpuCollector implements Collector {
  /** Less than this says nothing about a rate. */
  private static final long MIN_BUSY_NANOS = 100_000_000;

  private record Clock(PerfEvent event, Link link) {}

  private final Samples samples;
  private final List<RawProfile> profiles;
  private final int hertz;
  private final long period;
  private final Map<Integer, Clock> clocks = new HashMap<>();
  private KernelSide kernel;
  private Collection programs;
  private long cpuNanos;
  private long idleNanos;
  private long lastTick;

  CpuCollector(Samples samples, List<RawProfile> profiles, int hertz) {
    this.samples = samples;
    this.profiles = profiles;
    this.hertz = hertz;
    this.period = period(hertz);
  }

  static RawProfile.Meaning meaning(int hertz) {
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
  public void load(KernelSide side) {
    kernel = side;
    programs = side.load("cpu");
  }

  @Override
  public void start() {
    Arrays.stream(Cpus.online()).forEach(this::addCpu);
    lastTick = System.nanoTime();
    idleNanos = -idleNow();
  }

  private void addCpu(int cpu) {
    PerfEventAttr attr =
        PerfEventAttr.software(PerfEventAttr.SW_CPU_CLOCK).frequency(hertz).flags(Flag.DISABLED);
    PerfEvent event;
    try {
      event = PerfEvent.open(attr, PerfEvent.ANY_PROCESS, cpu);
    } catch (SyscallException e) {
      if (e.errno() == Errno.ENODEV) {
        return; // it went offline since we looked
      }
      throw e;
    }
    try {
      clocks.put(cpu, new Clock(event, Links.perfEvent(programs.program("on_tick"), event)));
    } catch (RuntimeException e) {
      event.close();
      throw e;
    }
    event.enable();
  }

  /** CPUs come and go. */
  @Override
  public void tick() {
    long now = System.nanoTime();
    cpuNanos += (now - lastTick) * clocks.size();
    lastTick = now;
    List<Integer> online = Arrays.stream(Cpus.online()).boxed().toList();
    clocks
        .entrySet()
        .removeIf(
            entry -> {
              boolean gone = !online.contains(entry.getKey());
              if (gone) {
                close(entry.getValue());
              }
              return gone;
            });
    online.stream().filter(cpu -> !clocks.containsKey(cpu)).forEach(this::addCpu);
  }

  @Override
  public int recordKind() {
    return Records.CPU;
  }

  @Override
  public boolean feeds(RawProfile profile) {
    return profiles.contains(profile);
  }

  @Override
  public void take(MemorySegment record) {
    samples.add(
        profiles,
        record.get(JAVA_LONG, Records.TIME_OFFSET),
        record.get(JAVA_LONG, Records.STACK_OFFSET),
        record.get(JAVA_INT, Records.TID_OFFSET),
        0,
        record.get(JAVA_INT, Records.CPU_OFFSET),
        period);
  }

  /** A sample's stack is looked up at once. */
  @Override
  public boolean forgets() {
    return true;
  }

  @Override
  public void stop() {
    cpuNanos += (System.nanoTime() - lastTick) * clocks.size();
    idleNanos += idleNow();
    clocks.values().forEach(clock -> clock.event().disable());
    clocks.values().forEach(CpuCollector::close);
    clocks.clear();
  }

  private static void close(Clock clock) {
    clock.link().close();
    clock.event().close();
  }

  @Override
  public double rateAsked() {
    return hertz;
  }

  /** On busy CPUs: an idle one may sleep through its timer, and nobody misses that. */
  @Override
  public double rateHeld() {
    long busyNanos = cpuNanos - idleNanos;
    long ticks = kernel.counter(Counter.TICKS) - kernel.counter(Counter.IDLE);
    return busyNanos < MIN_BUSY_NANOS ? hertz : ticks * 1e9 / busyNanos;
  }

  /** What all CPUs have idled so far, waiting for disks included; the kernel counts it in 10 ms. */
  private static long idleNow() {
    // cpu user nice system idle iowait …
    String[] words = KernelFile.read("/proc/stat").orElse("cpu 0 0 0 0 0").split("\\s+", 7);
    return (Long.parseLong(words[4]) + Long.parseLong(words[5])) * 10_000_000;
  }

  @Override
  public void close() {
    clocks.values().forEach(CpuCollector::close);
    clocks.clear();
    if (programs != null) {
      programs.close();
    }
  }
}
