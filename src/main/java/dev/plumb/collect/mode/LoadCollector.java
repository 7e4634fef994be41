package dev.plumb.collect.mode;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.CpuClocks;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Load ({@code load.bpf.c}): how many threads want each CPU, including the running one, and what
 * runs meanwhile. Sampled by a timer; idle CPUs do not count.
 */
public final class LoadCollector implements Collector, RecordTaker, FrequencySampler {
  private final SampleSink samples;
  private final List<RawProfile> profiles;
  private final int hertz;
  private Collection programs;
  private CpuClocks clocks;

  public LoadCollector(SampleSink samples, List<RawProfile> profiles, int hertz) {
    this.samples = samples;
    this.profiles = profiles;
    this.hertz = hertz;
  }

  public static RawProfile.Meaning meaning() {
    return RawProfile.Meaning.ofEvents(
        "load",
        "run_queue_length",
        1,
        new ValueType("samples", "count"),
        new ValueType("length", "count"));
  }

  @Override
  public void load(KernelPrograms side) {
    programs = side.load("load");
  }

  @Override
  public void start() {
    clocks = new CpuClocks(programs.program("on_look"), hertz);
  }

  @Override
  public void tick() {
    clocks.follow();
  }

  @Override
  public int recordKind() {
    return Records.LOAD;
  }

  @Override
  public List<Collection> objects() {
    return List.of(programs);
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
        record.get(JAVA_LONG, Records.LENGTH_OFFSET));
  }

  @Override
  public double rateAsked() {
    return hertz;
  }

  @Override
  public double rateHeld() {
    return hertz;
  }

  @Override
  public void stop() {
    clocks.close();
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
