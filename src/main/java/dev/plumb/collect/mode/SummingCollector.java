package dev.plumb.collect.mode;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.AttachedLinks;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawProfile;
import java.util.List;

/** What modes have in common whose events are added up in the kernel ({@code sums.h}). */
public abstract class SummingCollector implements Collector, SumTaker {
  private final String object;
  private final int kind;
  private final List<Probe> probes;
  private final SampleSink samples;
  private final List<RawProfile> profiles;
  private KernelPrograms kernel;
  private Collection programs;
  private AttachedLinks attached = AttachedLinks.NONE;

  /**
   * @param object the name of its {@code .bpf.c} file
   * @param kind the {@code kind} of its sums, from {@link Records}
   */
  public SummingCollector(
      String object, int kind, List<Probe> probes, SampleSink samples, List<RawProfile> profiles) {
    this.object = object;
    this.kind = kind;
    this.probes = probes;
    this.samples = samples;
    this.profiles = profiles;
  }

  /** Sets the variables of its object before it is loaded. */
  protected void settings(CollectionSpec spec) {}

  /** Adds a sum to the rows of its profiles: one value per type. */
  protected final void add(KernelSum sum, int detail, long... values) {
    samples.addAll(profiles, sum, detail, values);
  }

  /** Looks up the stacks whose ids are at these offsets in the values of a map. */
  protected final void meet(String map, Runnable meanwhile, int... offsets) {
    samples.meet(programs.map(map), meanwhile, offsets);
  }

  protected final Collection programs() {
    return programs;
  }

  @Override
  public void load(KernelPrograms side) {
    kernel = side;
    programs = side.load(object, probes, this::settings);
  }

  @Override
  public void start() {
    attached = kernel.attach(programs, probes);
  }

  @Override
  public int recordKind() {
    return kind;
  }

  @Override
  public List<Collection> objects() {
    return List.of(programs);
  }

  @Override
  public void stop() {
    attached.close();
  }

  @Override
  public void close() {
    attached.close();
    if (programs != null) {
      programs.close();
    }
  }
}
