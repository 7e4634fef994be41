package dev.plumb.collect.wait;

import static dev.plumb.collect.kernel.Records.intAt;
import static dev.plumb.collect.kernel.Records.longAt;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.AttachedLinks;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.DetailKeeper;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.RecordTaker;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.mode.SampleSink;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Off-CPU time ({@code offcpu.bpf.c}): every wait of a thread with its stack, its reason, and the
 * thread that ended it.
 */
public final class OffCpuCollector
    implements Collector, RecordTaker, OngoingCounter, StackHolder, DetailKeeper, RowNamer {
  /** The detail of samples that are not waits: on-CPU samples in a wall profile. */
  static final int NO_WAIT = 0;

  private static final int NO_STACK = -1;

  /** struct wait: 0 since, 8 stack, 16 waker_stack, 24 state. */
  private static final int WAIT_STACK = 8;

  private static final int WAIT_WAKER_STACK = 16;
  private static final int WAIT_STATE = 24;

  /** Each takes about a hundred bytes. */
  private static final int MANY_DETAILS = 1 << 16;

  /** What distinguishes waits with the same stack and thread. */
  private record Detail(int state, int wakerPid, int wakerTid, int wakerStack) {
    // Looked up for each wait; a record's own equals and hashCode are slow if only C1 compiles.
    @Override
    public boolean equals(Object other) {
      return other instanceof Detail d
          && state == d.state
          && wakerPid == d.wakerPid
          && wakerTid == d.wakerTid
          && wakerStack == d.wakerStack;
    }

    @Override
    public int hashCode() {
      return ((state * 31 + wakerPid) * 31 + wakerTid) * 31 + wakerStack;
    }
  }

  /** A wait that has not ended, and up to when it is counted. */
  private record Ongoing(long since, long counted) {}

  /** What a reason depends on. */
  private record Waiting(int stack, boolean kernelThread) {}

  private static final List<Probe> PROBES =
      List.of(
          Probe.tracepoint("sched_switch", "on_switch_btf", "on_switch_raw"),
          Probe.tracepoint("sched_waking", "on_waking_btf", "on_waking_raw"),
          Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"));

  private final SampleSink samples;
  private final List<RawProfile> profiles;
  private final WaitOptions options;
  private final WaitingThreads waiting;
  private final List<Detail> details = new ArrayList<>();
  private final Map<Detail, Integer> detailNumbers = new HashMap<>();
  private final List<String> wakers = new ArrayList<>();
  private final Map<Waiting, WaitReason> reasons = new HashMap<>();

  /** The current record. */
  private final long[] words = new long[Records.OFFCPU_SIZE / 8];

  /** By tid. */
  private Map<Integer, Ongoing> ongoing = new HashMap<>();

  private long unended;
  private KernelPrograms kernel;
  private Collection programs;
  private AttachedLinks attached = AttachedLinks.NONE;

  public OffCpuCollector(
      SampleSink samples, List<RawProfile> profiles, WaitOptions options, WaitingThreads waiting) {
    this.samples = samples;
    this.profiles = profiles;
    this.options = options;
    this.waiting = waiting;
    forget();
  }

  public static RawProfile.Meaning meaning() {
    ValueType time = new ValueType("time", "nanoseconds");
    return new RawProfile.Meaning(
        "offcpu", "off_cpu", List.of(new ValueType("waits", "count"), time), 1, ValueType.NONE, 0);
  }

  @Override
  public void load(KernelPrograms side) {
    kernel = side;
    programs =
        side.load(
            "offcpu",
            PROBES,
            spec -> {
              spec.setVariable("min_block_ns", options.minNanos());
              spec.setVariable("max_block_ns", options.maxNanos());
              spec.setVariable("wanted_states", options.mask());
              spec.setVariable("waker_stack_ns", options.wakerStackNanos());
            });
  }

  @Override
  public void start() {
    attached = kernel.attach(programs, PROBES);
  }

  @Override
  public void begin() {
    waiting.addAll(kernel.readIterator(programs.program("list_waiting")));
  }

  @Override
  public int recordKind() {
    return Records.OFFCPU;
  }

  @Override
  public List<Collection> objects() {
    return List.of(programs);
  }

  @Override
  public void take(MemorySegment record) {
    MemorySegment.copy(record, JAVA_LONG, 0, words, 0, words.length);
    int state = intAt(words, Records.STATE_OFFSET);
    if (!options.wants(state)) {
      return;
    }
    long time = longAt(words, Records.TIME_OFFSET);
    Detail detail =
        new Detail(
            state,
            intAt(words, Records.WAKER_TGID_OFFSET),
            intAt(words, Records.WAKER_TID_OFFSET),
            samples.stack(longAt(words, Records.WAKER_STACK_OFFSET)));
    int tid = intAt(words, Records.TID_OFFSET);
    long since = time - longAt(words, Records.DURATION_OFFSET);
    samples.addWait(
        profiles,
        countedUntil(tid, since),
        time,
        longAt(words, Records.STACK_OFFSET),
        tid,
        detail(detail, time),
        intAt(words, Records.CPU_OFFSET),
        true);
  }

  /** Up to when a wait was counted in earlier parts of the recording; its start if it was not. */
  private long countedUntil(int tid, long since) {
    Ongoing part = ongoing.get(tid);
    return part != null && part.since() == since ? part.counted() : since;
  }

  private int detail(Detail detail, long time) {
    Integer known = detailNumbers.putIfAbsent(detail, details.size());
    if (known != null) {
      return known;
    }
    details.add(detail);
    wakers.add(waker(detail.wakerPid(), detail.wakerTid(), time));
    return details.size() - 1;
  }

  /** The waker's name, as far as it is known; empty if there was no waker. */
  private String waker(int pid, int tid, long time) {
    if (tid == 0) {
      return "";
    }
    String comm = samples.find(pid, time).map(image -> image.threadName(tid)).orElse("?");
    return comm + " (" + tid + ")";
  }

  @Override
  public void stop() {
    attached.close();
  }

  /** Takes a thread that waits. */
  private interface Waiter {
    void waits(int tid, long since, int state, long stack, long wakerStack);
  }

  private void forEachWaiting(Waiter waiter) {
    programs
        .map("waits")
        .forEach(
            (key, value) -> {
              if (value.get(JAVA_LONG, 0) != 0) {
                waiter.waits(
                    key.get(JAVA_INT, 0),
                    value.get(JAVA_LONG, 0),
                    value.get(JAVA_INT, WAIT_STATE),
                    value.get(JAVA_LONG, WAIT_STACK),
                    value.get(JAVA_LONG, WAIT_WAKER_STACK));
              }
            });
  }

  private boolean wants(int state, long duration) {
    return options.wants(state) && duration >= options.minNanos() && duration <= options.maxNanos();
  }

  /** The threads that still wait. */
  @Override
  public void countUnended(long now) {
    forEachWaiting(
        (tid, since, state, stack, wakerStack) -> {
          if (wants(state, now - since)) {
            int detail = detail(new Detail(state, 0, 0, NO_STACK), now);
            samples.addWait(profiles, countedUntil(tid, since), now, stack, tid, detail, 0, true);
            unended++;
          }
        });
  }

  @Override
  public long unended() {
    return unended;
  }

  /** So that who waits for hours is seen all the time; the wait itself is counted when it ends. */
  @Override
  public void countOngoing(long now) {
    Map<Integer, Ongoing> parts = new HashMap<>();
    forEachWaiting(
        (tid, since, state, stack, wakerStack) -> {
          if (since < now && wants(state, now - since) && options.maxNanos() == Long.MAX_VALUE) {
            int detail = detail(new Detail(state, 0, 0, NO_STACK), now);
            samples.addWait(profiles, countedUntil(tid, since), now, stack, tid, detail, 0, false);
            parts.put(tid, new Ongoing(since, now));
          }
        });
    ongoing = parts;
  }

  @Override
  public void meetHeld(Runnable meanwhile) {
    samples.meet(programs.map("waits"), meanwhile, WAIT_STACK, WAIT_WAKER_STACK);
  }

  @Override
  public boolean isLarge() {
    return details.size() > MANY_DETAILS;
  }

  @Override
  public void forget() {
    details.clear();
    detailNumbers.clear();
    wakers.clear();
    reasons.clear();
    detail(new Detail(0, 0, 0, NO_STACK), 0); // NO_WAIT
  }

  @Override
  public Labels labels(int stack, int thread, int detailNumber, Naming naming) {
    if (detailNumber == NO_WAIT) {
      return Labels.NONE;
    }
    Detail detail = details.get(detailNumber);
    Labels labels =
        Labels.of(
            "reason",
            reason(stack, thread, detail, naming).text(),
            "state",
            WaitOptions.letter(detail.state()));
    String waker = wakers.get(detailNumber);
    if (waker.isEmpty()) {
      return labels;
    }
    if (detail.wakerStack() == NO_STACK) {
      return labels.with("waker", waker);
    }
    boolean interrupt = isInterrupt(naming.kernelFunctions(detail.wakerStack()));
    labels = labels.with("waker", interrupt ? "interrupt" : waker);
    return options.tellWakerStacks()
        ? labels.with("waker_stack", naming.line(detail.wakerStack()))
        : labels;
  }

  private static boolean isInterrupt(List<String> functions) {
    return functions.stream()
        .anyMatch(
            f ->
                f.contains("sysvec_")
                    || f.contains("common_interrupt")
                    || f.contains("softirq")
                    || f.startsWith("handle_irq"));
  }

  @Override
  public Optional<Frame> leaf(int stack, int thread, int detailNumber, Naming naming) {
    if (detailNumber == NO_WAIT) {
      return Optional.empty();
    }
    WaitReason reason = reason(stack, thread, details.get(detailNumber), naming);
    return Optional.of(Frame.ofName("[" + reason.text() + "]", FrameKind.WAITING));
  }

  private WaitReason reason(int stack, int thread, Detail detail, Naming naming) {
    if (WaitOptions.preempted(detail.state())) {
      return WaitReason.PREEMPTED;
    }
    return reasons.computeIfAbsent(
        new Waiting(stack, naming.isKernelThread(thread)),
        w -> WaitReason.of(naming.kernelFunctions(w.stack()), false, w.kernelThread()));
  }

  @Override
  public void close() {
    attached.close();
    if (programs != null) {
      programs.close();
    }
  }
}
