package dev.plumb.collect;

import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.tables.Unwinding;
import dev.plumb.linux.kernel.Cpus;
import java.util.List;
import java.util.Map;

/**
 * Has unwind tables made before the first sample: until a process has its tables, the kernel side
 * has to copy its stacks, and where samples are frequent, it cannot copy all of them.
 */
final class EarlyTables {
  /** Samples per second from which on the tables of the busiest processes are made early. */
  private static final int MANY = 1000;

  /** How long the start may wait for tables if the whole machine is recorded. */
  private static final long MACHINE_WAIT_NANOS = 1_000_000_000;

  private EarlyTables() {}

  static void make(
      RecordOptions options, ProcessTracking tracking, Unwinding unwinding, KernelPrograms kernel) {
    unwinding.makeEarly(options.memory().command());
    Target target = options.target();
    if (target.launched()) {
      return;
    }
    boolean many =
        !options.modes().equals(List.of("cpu")) || options.hertz() * Cpus.online().length > MANY;
    if (target.pids().isEmpty() && !many) {
      return; // few stacks are copied meanwhile
    }
    tracking.drain();
    unwinding.prepare(
        tracking.running(target),
        target.pids().isEmpty() ? MACHINE_WAIT_NANOS : Unwinding.LONGEST_WAIT_NANOS);
    Map<Integer, Long> numbers = kernel.listProcesses();
    long listed = Recorder.now();
    do {
      tracking.drain();
    } while (tracking.settled()
        < listed); // a process that has called exec before has another image
    unwinding.assign(numbers, tracking.running(target));
  }
}
