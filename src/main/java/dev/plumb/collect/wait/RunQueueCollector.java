package dev.plumb.collect.wait;

import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.LatencyBuckets;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.mode.SampleSink;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.mode.SummingCollector;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.List;

/**
 * Run queues ({@code runq.bpf.c}): how long runnable threads wait for a CPU, by the stack with
 * which they left their CPU.
 */
public final class RunQueueCollector extends SummingCollector implements StackHolder, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "runq",
          "run_queue",
          1,
          new ValueType("waits", "count"),
          new ValueType("time", "nanoseconds"));

  private static final int MIGRATED = 0x100;
  private static final int PREEMPTED = 0x200;

  private static final List<Probe> PROBES =
      List.of(
          Probe.tracepoint("sched_switch", "on_switch_btf", "on_switch_raw"),
          Probe.tracepoint("sched_wakeup", "on_wakeup_btf", "on_wakeup_raw"),
          Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"));

  public RunQueueCollector(SampleSink samples, List<RawProfile> profiles) {
    super("runq", Records.RUNQ, PROBES, samples, profiles);
  }

  @Override
  public void takeSum(KernelSum sum) {
    add(sum, (int) sum.detail(), sum.count(), sum.value());
  }

  /** struct turn: 0 since, 8 stack. */
  @Override
  public void meetHeld(Runnable meanwhile) {
    meet("turns", meanwhile, 8);
  }

  @Override
  public Labels labels(int stack, int thread, int detail, Naming naming) {
    return Labels.of(
            LatencyBuckets.LABEL,
            LatencyBuckets.text(detail),
            "after",
            (detail & PREEMPTED) != 0 ? "preemption" : "wake-up")
        .with("migrated", (detail & MIGRATED) != 0 ? "yes" : "no");
  }
}
