package dev.plumb.collect.mode;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.KernelPrograms;
import java.util.List;

/**
 * A mode: one {@code .bpf.c} file and one class of this shape, in most cases a {@link
 * SummingCollector}. The recorder loads it, starts it, hands it what its programs send, and stops
 * it.
 *
 * <p>What else a mode can do, it says by implementing more:
 *
 * <ul>
 *   <li>{@link RecordTaker}, {@link SumTaker}: its programs send records, or add events up; each
 *       mode has one of these, or both.
 *   <li>{@link RowNamer}: its rows have labels, or a frame of their own below the stack's leaf.
 *   <li>{@link StackHolder}: it holds ids of stacks for longer than an event.
 *   <li>{@link DetailKeeper}: it numbers what sets rows apart, and can forget it.
 *   <li>{@link OngoingCounter}: it counts what has not ended, or is a state.
 *   <li>{@link FrequencySampler}: it samples.
 *   <li>{@link FactReporter}: it has something to say about a recording.
 * </ul>
 */
public interface Collector extends AutoCloseable {
  /** Loads its programs, which takes a while. */
  void load(KernelPrograms kernel);

  /** Attaches them. */
  void start();

  /** Called when all modes are attached: from now on records are taken. */
  default void begin() {}

  /** The {@code kind} of its records or sums. */
  int recordKind();

  /** What it has loaded into the kernel: what these objects lose, this mode has lost. */
  List<Collection> objects();

  /** Called about once per second. */
  default void tick() {}

  /** Detaches its programs: no more records come. */
  void stop();

  @Override
  void close();
}
