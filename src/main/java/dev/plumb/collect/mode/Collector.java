package dev.plumb.collect.mode;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A mode: one {@code .bpf.c} file and one class of this shape. The {@code Recorder} starts it,
 * hands it the records of its kind, stops it, and asks it what its rows mean.
 */
public interface Collector extends AutoCloseable {
  /** Loads its programs, which takes a while. */
  void load(KernelPrograms kernel);

  /** Attaches them. */
  void start();

  /** Called when all modes are attached: records come from now on. */
  default void begin() {}

  /** The {@code kind} of the records or sums it takes. */
  int recordKind();

  /** What it has loaded into the kernel: the losses there are its own. */
  List<Collection> objects();

  /** Whether its samples go into a profile. */
  boolean feeds(RawProfile profile);

  /** Takes a record; it is a view into the ring, valid only now. */
  void take(MemorySegment record);

  /** Takes what events amount to that the kernel side added up. */
  default void takeSum(KernelSum sum) {
    throw new IllegalStateException("adds nothing up in the kernel");
  }

  /** Called about once a second. */
  default void tick() {}

  /** Detaches: no more records come. */
  void stop();

  /** Called when all records were taken: what has not ended is counted until {@code now}. */
  default void countUnended(long now) {}

  /** How many of them there were. */
  default long unended() {
    return 0;
  }

  /** Called before a recording is made: adds what is a state and no event, as memory in use is. */
  default void countPresent(long now) {}

  /** Called before a part is cut off: what goes on is counted so far. */
  default void countOngoing(long now) {}

  /**
   * Called before the stacks are forgotten that were not met for a while: looks up each that the
   * kernel side's maps or its own tables hold for longer than an event.
   *
   * @param meanwhile to be run now and then where that takes long
   */
  default void meetHeld(Runnable meanwhile) {}

  /** Numbers of stacks, threads and details mean something else from now on; no rows have any. */
  default void forget() {}

  /** Whether what it keeps besides rows has grown so large that it had better forget it. */
  default boolean isLarge() {
    return false;
  }

  /** What sets a row apart besides its stack and thread. */
  default Labels labels(int stack, int thread, int detail, Naming naming) {
    return Labels.NONE;
  }

  /** A frame that stands below the stack's leaf: not code, but what it waits for. */
  default Optional<Frame> leaf(int stack, int thread, int detail, Naming naming) {
    return Optional.empty();
  }

  /** What is to be said of the recording that was just made; by the mode's name it is shown. */
  default Map<String, String> facts() {
    return Map.of();
  }

  /** How often it samples, and how often it really did; 0 if it does not sample. */
  default double rateAsked() {
    return 0;
  }

  default double rateHeld() {
    return 0;
  }

  @Override
  void close();
}
