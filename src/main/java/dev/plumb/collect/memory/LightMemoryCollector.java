package dev.plumb.collect.memory;

import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.CollectorContext;
import dev.plumb.collect.mode.FactReporter;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.SampleSink;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.mode.SummingCollector;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.linux.Clock;
import dev.plumb.profile.ValueType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory that programs allocate, estimated at little cost ({@code light.bpf.c}): allocators are
 * probed in short windows ({@link LightWindows}), from which the total is estimated ({@link
 * ChurnEstimate}). The growth of resident memory is measured all the time.
 */
public final class LightMemoryCollector extends SummingCollector
    implements OngoingCounter, StackHolder, FactReporter {
  public static final String MODE = "mem-light";

  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
              MODE,
              "memory_light",
              1,
              new ValueType("alloc_objects", "count"),
              new ValueType("alloc_space", "bytes"),
              new ValueType("grown", "bytes"))
          .per(new ValueType("space", "bytes"));

  private static final List<Probe> PROBES =
      List.of(
          Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"),
          Probe.tracepoint("rss_stat", "on_size_btf", "on_size_raw"));

  private static final long GROWN = 1;

  /** Who allocated in windows. */
  private record Who(long stack, int tid) {}

  private final SampleSink samples;
  private final AllocatorFinder finder;
  private final Map<Who, long[]> seen = new HashMap<>();
  private KernelPrograms kernel;
  private ChurnEstimate estimate;
  private LightWindows windows;
  private String told = "";

  public LightMemoryCollector(CollectorContext context, List<RawProfile> profiles) {
    super("light", Records.LIGHT, PROBES, context.samples(), profiles);
    this.samples = context.samples();
    this.finder = new AllocatorFinder(MODE, context.options());
  }

  @Override
  public void load(KernelPrograms side) {
    super.load(side);
    kernel = side;
  }

  @Override
  public void start() {
    super.start();
    estimate = new ChurnEstimate(UprobeCost.measure(programs().program("on_first")));
    windows = new LightWindows(programs(), estimate);
    finder.start(this::take);
  }

  private boolean take(Allocator allocator, int pid) {
    windows.add(allocator, pid);
    return true;
  }

  @Override
  public void begin() {
    estimate.begin(Clock.monotonic());
    windows.begin();
  }

  @Override
  public void tick() {
    finder.tick(kernel, this::take);
  }

  @Override
  public void takeSum(KernelSum sum) {
    if (sum.detail() == GROWN) {
      add(sum, 0, 0, 0, sum.value());
      return;
    }
    long[] amounts = seen.computeIfAbsent(new Who(sum.stack(), sum.tid()), x -> new long[2]);
    amounts[0] += sum.count();
    amounts[1] += sum.value();
  }

  @Override
  public void meetHeld(Runnable meanwhile) {
    seen.keySet().forEach(who -> samples.stack(who.stack()));
  }

  /** What the windows stand for, of the part that ends now. */
  @Override
  public void countPresent(long now) {
    seen.forEach(
        (who, amounts) -> {
          double factor = estimate.factor(who.tid(), now);
          long objects = Math.round(amounts[0] * factor);
          KernelSum sum = new KernelSum(now, who.stack(), 0, who.tid(), objects, 0, 0);
          add(sum, 0, objects, Math.round(amounts[1] * factor), 0);
        });
    told = estimate.text(now);
    seen.clear();
    estimate.begin(now);
  }

  @Override
  public Map<String, String> facts() {
    return Map.of(MODE, "estimated: " + told + "; in use and bad frees: not known");
  }

  @Override
  public void stop() {
    if (windows != null) {
      windows.close();
    }
    super.stop();
  }

  @Override
  public void close() {
    stop();
    super.close();
  }
}
