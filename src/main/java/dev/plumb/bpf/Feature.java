package dev.plumb.bpf;

import dev.plumb.bpf.error.UnsupportedException;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.linux.perf.PerfPmu;
import java.util.function.BooleanSupplier;

/**
 * Something that not every kernel has. Whether this one has it is tried, once: versions say little,
 * for distributions backport, and a kernel may be built or locked down without.
 */
public enum Feature {
  RING_BUFFER("BPF ring buffers", "5.8", FeatureProbes::ringBuffer),
  BATCH_MAP_CALLS("batch calls on maps", "5.6", FeatureProbes::batchMapCalls),
  PER_CPU_ARRAY_BATCH("batch calls on per-CPU arrays", "5.13", FeatureProbes::perCpuArrayBatch),
  PERF_EVENT_LINK("BPF links to perf events", "5.15", FeatureProbes::perfEventLink),
  KPROBE("kprobes by perf_event_open", "4.17", () -> PerfPmu.exists("kprobe")),
  UPROBE("uprobes by perf_event_open", "4.17", () -> PerfPmu.exists("uprobe")),
  KPROBE_MULTI("many kprobes at once", "5.18", FeatureProbes::kprobeMulti),
  UPROBE_MULTI("many uprobes at once", "6.6", FeatureProbes::uprobeMulti),
  TYPED_TRACEPOINT("BPF programs on typed tracepoints", "5.5", FeatureProbes::typedTracepoint),
  FENTRY("BPF programs at function entry and exit", "5.5", FeatureProbes::fentry),
  TASK_ITERATOR("BPF iterators over tasks", "5.8", () -> FeatureProbes.iterator("task")),
  TASK_VMA_ITERATOR(
      "BPF iterators over mappings", "5.12", () -> FeatureProbes.iterator("task_vma")),
  COOKIES("BPF cookies", "5.15", () -> FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 174)),
  BPF_LOOP("bpf_loop", "5.17", () -> FeatureProbes.helper(ProgramKind.TYPE_PERF_EVENT, 181)),
  FOR_EACH_MAP_ELEM(
      "bpf_for_each_map_elem", "5.13", () -> FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 164)),
  TASK_PT_REGS(
      "bpf_task_pt_regs", "5.15", () -> FeatureProbes.helper(ProgramKind.TYPE_PERF_EVENT, 175)),
  GET_TASK_STACK(
      "bpf_get_task_stack", "5.9", () -> FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 141)),
  FIND_VMA("bpf_find_vma", "5.17", () -> FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 180)),
  COPY_FROM_USER_TASK(
      "bpf_copy_from_user_task",
      "5.18",
      () -> FeatureProbes.sleepableHelper(ProgramKind.TYPE_KPROBE, 191)),
  STATISTICS("run time statistics of BPF programs", "5.8", FeatureProbes::statistics);

  private final String what;
  private final String since;
  private final BooleanSupplier probe;
  private volatile Boolean present;

  Feature(String what, String since, BooleanSupplier probe) {
    this.what = what;
    this.since = since;
    this.probe = probe;
  }

  /** Whether this kernel has it, for this process with the rights that it has. */
  public boolean present() {
    Boolean known = present;
    if (known == null) {
      known = probe.getAsBoolean();
      present = known;
    }
    return known;
  }

  /** Throws if this kernel does not have it. */
  public void require() {
    if (!present()) {
      throw missing();
    }
  }

  /** What it is, for people. */
  public String what() {
    return what;
  }

  /** The first version of Linux that can have it. */
  public String since() {
    return since;
  }

  UnsupportedException missing() {
    return new UnsupportedException(what, since);
  }
}
