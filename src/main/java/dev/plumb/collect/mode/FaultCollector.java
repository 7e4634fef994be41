package dev.plumb.collect.mode;

import dev.plumb.bpf.Links;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.linux.perf.PerfEventAttr.Flag;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * Page faults ({@code faults.bpf.c}): their number, how many had to wait for a device, and by how
 * much resident memory grew. Every fault counts.
 */
public final class FaultCollector extends SummingCollector {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "faults",
          "page_faults",
          0,
          new ValueType("faults", "count"),
          new ValueType("major", "count"),
          new ValueType("grown", "bytes"));

  private static final List<Probe> PROBES =
      List.of(Probe.tracepoint("rss_stat", "on_size_btf", "on_size_raw"));

  /** Links and their events, in the order to be closed. */
  private final List<AutoCloseable> counters = new ArrayList<>();

  public FaultCollector(SampleSink samples, List<RawProfile> profiles) {
    super("faults", Records.FAULT, PROBES, samples, profiles);
  }

  @Override
  public void start() {
    super.start();
    for (int cpu : Cpus.online()) {
      count(cpu, PerfEventAttr.SW_PAGE_FAULTS_MIN, "on_minor");
      count(cpu, PerfEventAttr.SW_PAGE_FAULTS_MAJ, "on_major");
    }
  }

  private void count(int cpu, int counter, String program) {
    PerfEventAttr attr = PerfEventAttr.software(counter).period(1).flags(Flag.DISABLED);
    PerfEvent event;
    try {
      event = PerfEvent.open(attr, PerfEvent.ANY_PROCESS, cpu);
    } catch (SyscallException e) {
      if (e.errno() == Errno.ENODEV) {
        return; // it went offline since we looked
      }
      throw e;
    }
    counters.addFirst(event);
    counters.addFirst(Links.perfEvent(programs().program(program), event));
    event.enable();
  }

  @Override
  public void takeSum(KernelSum sum) {
    add(sum, 0, sum.count(), sum.value(), sum.extra());
  }

  @Override
  public void stop() {
    super.stop();
    for (AutoCloseable counter : counters) {
      try {
        counter.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    counters.clear();
  }

  @Override
  public void close() {
    stop();
    super.close();
  }
}
