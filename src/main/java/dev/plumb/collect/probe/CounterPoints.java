package dev.plumb.collect.probe;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.options.ModeException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.linux.perf.PerfEventAttr.Flag;
import java.util.List;

/** One of perf's counters, on every CPU. */
final class CounterPoints implements ProbePoints {
  private final PerfCounter counter;
  private final int hertz;

  CounterPoints(PerfCounter counter, int hertz) {
    this.counter = counter;
    this.hertz = hertz;
    open(Cpus.online()[0]).close(); // better to know now
  }

  private PerfEvent open(int cpu) {
    PerfEventAttr attr = counter.attr().flags(Flag.DISABLED);
    try {
      return PerfEvent.open(
          counter.isFrequent() ? attr.frequency(hertz) : attr.period(1),
          PerfEvent.ANY_PROCESS,
          cpu);
    } catch (SyscallException e) {
      if (e.errno() == Errno.ENOENT
          || e.errno() == Errno.EOPNOTSUPP
          || e.errno() == Errno.ENODEV
          || e.errno() == Errno.EINVAL) {
        throw new ModeException(
            counter.isHardware()
                ? "this machine has no such hardware counter (virtual machines often hide them); cpu samples by time"
                : "this kernel has no such counter");
      }
      throw e;
    }
  }

  @Override
  public List<ProbeArguments> scopes() {
    return List.of(new ProbeArguments(counter.text(), List.of()));
  }

  @Override
  public void prepare(CollectionSpec spec) {
    spec.program("on_count").autoload(true);
    spec.setVariable("one_by_one", counter.isFrequent());
  }

  @Override
  public void attach(
      Collection programs, int[] points, long[] cookies, List<AutoCloseable> attached) {
    for (int cpu : Cpus.online()) {
      PerfEvent event = open(cpu);
      attached.add(event);
      attached.add(Links.perfEvent(programs.program("on_count"), event));
    }
  }
}
