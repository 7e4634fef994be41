package dev.plumb.collect.mode;

import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.ValueType;
import java.util.List;

/** Forks: who starts processes and threads ({@code forks.bpf.c}). */
public final class ForkCollector extends SummingCollector {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "forks",
          "forks",
          0,
          new ValueType("processes", "count"),
          new ValueType("threads", "count"));

  private static final long THREAD = 1;

  private static final List<Probe> PROBES =
      List.of(Probe.tracepoint("sched_process_fork", "on_fork_btf", "on_fork_raw"));

  public ForkCollector(SampleSink samples, List<RawProfile> profiles) {
    super("forks", Records.FORKS, PROBES, samples, profiles);
  }

  @Override
  public void takeSum(KernelSum sum) {
    boolean thread = sum.detail() == THREAD;
    add(sum, 0, thread ? 0 : sum.count(), thread ? sum.count() : 0);
  }
}
