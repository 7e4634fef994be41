package dev.plumb.collect.mode;

import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.KernelTracepoints;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests to block devices ({@code block.bpf.c}), by the stack that made them: their number and
 * bytes, how long they waited in queues, and how long the device took. Every request counts.
 */
public final class BlockCollector extends SummingCollector implements StackHolder, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "block",
          "block",
          2,
          new ValueType("requests", "count"),
          new ValueType("bytes", "bytes"),
          new ValueType("latency", "nanoseconds"),
          new ValueType("queued", "nanoseconds"),
          new ValueType("errors", "count"));

  private static final String START = "block_io_start";
  private static final int BUCKET_SHIFT = 32;
  private static final long FAILED_BIT = 1L << 38;
  private static final long QUEUED_BIT = 1L << 39;
  private static final int OPERATION_SHIFT = 40;

  private final boolean hasStart;
  private final BlockDevices devices = new BlockDevices();

  private final DetailNumbers details = new DetailNumbers(-1, detail -> devices.name((int) detail));

  private BlockCollector(SampleSink samples, List<RawProfile> profiles, boolean hasStart) {
    super("block", Records.BLOCK, probes(hasStart), samples, profiles);
    this.hasStart = hasStart;
  }

  public static BlockCollector make(SampleSink samples, List<RawProfile> profiles) {
    return new BlockCollector(samples, profiles, KernelTracepoints.exists(START));
  }

  private static List<Probe> probes(boolean hasStart) {
    List<Probe> probes = new ArrayList<>();
    probes.add(Probe.tracepoint("block_rq_complete", "on_complete_btf", "on_complete_raw"));
    probes.add(Probe.tracepoint("block_rq_issue", "on_issue_btf", "on_issue_raw"));
    probes.add(
        hasStart
            ? Probe.tracepoint(START, "on_start_btf", "on_start_raw")
            : Probe.tracepoint("block_rq_insert", "on_insert_btf", "on_insert_raw"));
    return probes;
  }

  @Override
  protected void settings(CollectionSpec spec) {
    spec.setVariable("has_start", hasStart ? 1 : 0);
    // block_rq_issue(queue, request) until 5.10, block_rq_issue(request) since.
    spec.setVariable("queue_first", KernelTracepoints.arguments("block_rq_issue") == 2 ? 1 : 0);
    spec.program(hasStart ? "on_insert_btf" : "on_start_btf").autoload(false);
  }

  @Override
  public void takeSum(KernelSum sum) {
    int number = details.number(sum.detail() & ~QUEUED_BIT);
    if ((sum.detail() & QUEUED_BIT) != 0) {
      add(sum, number, 0, 0, 0, sum.value(), 0);
      return;
    }
    long errors = (sum.detail() & FAILED_BIT) != 0 ? sum.count() : 0;
    add(sum, number, sum.count(), sum.value(), sum.extra(), 0, errors);
  }

  /** struct pending: 0 since, 8 issued, 16 stack. */
  @Override
  public void meetHeld(Runnable meanwhile) {
    meet("pending_requests", meanwhile, 16);
  }

  @Override
  public Labels labels(int stack, int thread, int number, Naming naming) {
    long detail = details.of(number);
    Labels labels =
        Labels.of(
            "device",
            devices.name((int) detail),
            "direction",
            operation((int) (detail >>> OPERATION_SHIFT) & 0xff),
            LatencyBuckets.LABEL,
            LatencyBuckets.text(detail >>> BUCKET_SHIFT));
    return (detail & FAILED_BIT) != 0 ? labels.with("failed", "yes") : labels;
  }

  /** The kernel's {@code enum req_op}. */
  private static String operation(int operation) {
    return switch (operation) {
      case 0 -> "read";
      case 1 -> "write";
      case 2 -> "flush";
      case 3 -> "discard";
      case 5 -> "secure erase";
      case 9 -> "write zeroes";
      default -> "operation " + operation;
    };
  }
}
