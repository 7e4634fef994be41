package dev.plumb.collect.kernel;

import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.Program;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.linux.perf.PerfEventAttr.Flag;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A timer on each CPU that runs a BPF program. CPUs may go online and offline meanwhile. */
public final class CpuClocks implements AutoCloseable {
  private record Clock(PerfEvent event, Link link) {}

  private final Program program;
  private final int hertz;
  private final Map<Integer, Clock> clocks = new HashMap<>();

  public CpuClocks(Program program, int hertz) {
    this.program = program;
    this.hertz = hertz;
    Arrays.stream(Cpus.online()).forEach(this::add);
  }

  private void add(int cpu) {
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
      clocks.put(cpu, new Clock(event, Links.perfEvent(program, event)));
    } catch (RuntimeException e) {
      event.close();
      throw e;
    }
    event.enable();
  }

  /** To be called about once per second: follows CPUs that go online or offline. */
  public void follow() {
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
    online.stream().filter(cpu -> !clocks.containsKey(cpu)).forEach(this::add);
  }

  /** How many there are. */
  public int size() {
    return clocks.size();
  }

  private static void close(Clock clock) {
    clock.link().close();
    clock.event().close();
  }

  @Override
  public void close() {
    clocks.values().forEach(clock -> clock.event().disable());
    clocks.values().forEach(CpuClocks::close);
    clocks.clear();
  }
}
