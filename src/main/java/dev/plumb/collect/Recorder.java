package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfException;
import dev.plumb.bpf.RingBuffer;
import dev.plumb.linux.Cpus;
import dev.plumb.linux.ProcNamespaces;
import dev.plumb.linux.ProcReader;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFiles;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.process.ProcessTable;
import dev.plumb.process.SideBand;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.symbols.Symbolizer;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One recording: loads and attaches what its modes need, reads what comes, and makes a {@link
 * Recording} of it in the end. For one thread.
 */
public final class Recorder implements AutoCloseable {
  /** The fact of a recording that says how unwinding went. */
  public static final String UNWOUND = "stacks unwound in user space";

  /** The fact of a recording that says why names may be missing. */
  public static final String NAMES = "names may be missing";

  private static final int MAX_HELD_FILES = 4096;
  private static final int RLIMIT_NOFILE = 7;
  private static final long TICK_NANOS = 1_000_000_000;
  private static final int POLL_MILLIS = 100;

  /** Where tables are made, more are wanted soon: the sooner they are, the fewer copies come. */
  private static final int SOON_MILLIS = 2;

  private final RecordOptions options;
  private final ProcessTable processTable = new ProcessTable();
  private final BackingFiles files = new BackingFiles(heldFiles());
  private final RawProcesses processes = new RawProcesses(this::find);
  private final RawThreads threads = new RawThreads();
  private final RawStacks stacks =
      new RawStacks(processes, RawStacks.Limits.ofHeap(Runtime.getRuntime().maxMemory()));
  private final Map<String, RawProfile> profiles = new LinkedHashMap<>();

  /** By the names of their modes. */
  private final Map<String, Collector> collectors = new LinkedHashMap<>();

  private final Map<String, String> refused = new LinkedHashMap<>();
  private final ClockOffsets clock = new ClockOffsets();
  private final Symbolizer symbolizer = new Symbolizer();
  private final SideBand sideBand;
  private final ProcessFinder finder;
  private final Unwinding unwinding;
  private final Samples samples;
  private final Naming naming;
  private final KernelSide kernel;
  private final RingBuffer ring;
  private EarlyNames earlyNames;
  private Optional<Sums> sums = Optional.empty();
  private Map<String, Long> lossesBefore = Map.of();
  private final boolean hostsPids;
  private Optional<Debuginfod> server = Optional.empty();
  private long started;
  private long ended;
  private long nextTick;

  /** The ring holds a copy that was too young to be taken. */
  private boolean copiesPending;

  /** What happened to processes is known up to here. */
  private long settled;

  /** Loads what is needed; nothing is attached yet. */
  public Recorder(RecordOptions options) {
    this.options = options;
    boolean ok = false;
    SideBand band = null;
    KernelSide side = null;
    try {
      band = new SideBand(processTable, files, Cpus.online());
      side = new KernelSide(options.target(), options.stacks(), options.ringBytes());
      ok = true;
    } finally {
      if (!ok) {
        closeAll(side, band, files);
      }
    }
    this.sideBand = band;
    this.kernel = side;
    this.finder = new ProcessFinder(processTable, files);
    this.unwinding = new Unwinding(finder, options.stacks().maxUserFrames());
    this.samples = new Samples(stacks, processes, threads, finder);
    this.naming = new Naming(stacks, processes, threads, symbolizer, clock);
    this.earlyNames = new EarlyNames(stacks, processes, naming);
    this.ring = new RingBuffer();
    try (ProcReader reader = new ProcReader()) {
      this.hostsPids = ProcNamespaces.isHosts(reader, "pid");
    }
    makeCollectors();
    try {
      attempt(collector -> collector.load(kernel));
      ring.addWhile(kernel.records(), this::take);
      sums = kernel.has("sums") ? Optional.of(new Sums(kernel.map("sums"))) : Optional.empty();
      unwinding.begin(kernel);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Does something to all collectors; a mode that fails is left out as long as there are others.
   */
  private void attempt(Consumer<Collector> step) {
    for (Map.Entry<String, Collector> entry : List.copyOf(collectors.entrySet())) {
      try {
        step.accept(entry.getValue());
      } catch (BpfException | SyscallException | ModeException e) {
        entry.getValue().close();
        collectors.remove(entry.getKey());
        for (String mode : List.copyOf(profiles.keySet())) {
          if (Modes.of(mode).parts(mode).contains(entry.getKey())) {
            profiles.remove(mode);
            refused.put(mode, e.getMessage());
          }
        }
        if (profiles.isEmpty()) {
          throw e;
        }
      }
    }
  }

  /** The modes that are not recorded because it is not possible, and why. */
  public Map<String, String> refused() {
    return Collections.unmodifiableMap(refused);
  }

  /** Half of the descriptors we may have: the rest is for everything else, outputs above all. */
  private static int heldFiles() {
    return Math.clamp(SystemCalls.getrlimit(RLIMIT_NOFILE) >>> 1, 1, MAX_HELD_FILES);
  }

  private void makeCollectors() {
    Workbench bench = new Workbench(options, samples, stacks, processes, finder, unwinding);
    Map<String, List<RawProfile>> fed = new LinkedHashMap<>();
    for (String name : options.modes()) {
      Mode mode = Modes.of(name);
      RawProfile profile = new RawProfile(mode.meaning().apply(name, options.hertz()));
      profiles.put(name, profile);
      mode.parts(name).forEach(p -> fed.computeIfAbsent(p, x -> new ArrayList<>()).add(profile));
    }
    fed.forEach(
        (part, all) ->
            collectors.put(part, Modes.of(part).collector().make(part, bench, List.copyOf(all))));
  }

  /** Debug files that this machine does not have are asked for there, when it is over. */
  public void useServer(Debuginfod debuginfod) {
    symbolizer.useServer(debuginfod);
    server = Optional.of(debuginfod);
  }

  /** Keeps up with processes while recording has not begun. */
  public void standBy() {
    settled = sideBand.drain();
    processTable.forgetEnded(settled - TICK_NANOS);
  }

  /** Attaches; from now on samples come. */
  public void start() {
    // To attach takes seconds where allocators are probed. Nobody reads meanwhile, and all modes
    // are to begin at once.
    kernel.pause(true);
    if (options.target().launched()) {
      unwinding.makeEarly(true);
    }
    attempt(Collector::start);
    started = now();
    kernel.pause(false);
    attempt(Collector::begin);
    if (!options.target().launched()) {
      unwinding.makeEarly(false);
    }
    finder.scanLater(options.target().pids());
    nextTick = started + TICK_NANOS;
  }

  /** Reads for a time, or until told to stop; what comes is at most a tenth of a second old. */
  public void runFor(long nanos, BooleanSupplier done) {
    long start = System.nanoTime();
    long rest = nanos;
    while (rest > 0 && !done.getAsBoolean()) {
      int longest = copiesPending || unwinding.hasLearnt() ? SOON_MILLIS : POLL_MILLIS;
      ring.poll((int) Math.min(longest, rest / 1_000_000 + 1));
      copiesPending = false;
      settled = sideBand.drain();
      ring.consume(); // the kernel side wakes us only when the ring fills up
      processTable.forgetEnded(settled - TICK_NANOS);
      finder.scanSome();
      unwinding.write();
      earlyNames.hurry();
      if (now() >= nextTick) {
        nextTick += TICK_NANOS;
        clock.take();
        sideBand.follow(Cpus.online());
        unwinding.tick();
        collectors.values().forEach(Collector::tick);
        sums.ifPresent(all -> all.turn(this::takeSum));
      }
      rest = nanos - (System.nanoTime() - start);
    }
  }

  /** Takes a record unless it is so young that we may not know what its process did before it. */
  private boolean take(MemorySegment record) {
    int kind = record.get(JAVA_INT, Records.KIND_OFFSET);
    boolean isStack = kind == Records.STACK || kind == Records.COPY;
    int timeOffset = isStack ? Records.STACK_TIME_OFFSET : Records.TIME_OFFSET;
    if (record.get(JAVA_LONG, timeOffset) > settled) {
      copiesPending |= kind == Records.COPY;
      return false;
    }
    if (kind == Records.STACK) {
      stacks.add(record);
      return true;
    }
    if (kind == Records.COPY) {
      unwinding.take(record, stacks, processes);
      return true;
    }
    for (Collector collector : collectors.values()) {
      if (collector.recordKind() == kind) {
        collector.take(record);
      }
    }
    return true;
  }

  private void takeSum(int kind, Sum sum) {
    for (Collector collector : collectors.values()) {
      if (collector.recordKind() == kind) {
        collector.takeSum(sum);
      }
    }
  }

  /**
   * In a pid namespace of our own, /proc and the side band number processes otherwise than the
   * kernel side does: better no name than another process's.
   */
  private Optional<ProcessImage> find(int pid, long time) {
    return hostsPids ? finder.find(pid, time) : Optional.empty();
  }

  /** Detaches everything; nothing is lost that was measured. */
  public void stop() {
    ended = now();
    kernel.pause(true);
    symbolizer.prepare();
    collectors.values().forEach(Collector::stop);
    sideBand.drainAll();
    settled = Long.MAX_VALUE;
    ring.consume();
    for (int turn = 0; turn < 2; turn++) {
      sums.ifPresent(all -> all.turn(this::takeSum));
    }
    collectors.values().forEach(collector -> collector.countUnended(ended));
    collectors.values().forEach(collector -> collector.countPresent(ended));
    unwinding.end();
    stacks.complete();
    earlyNames.close();
  }

  /** Samples taken so far, over all modes. */
  public long sampleCount() {
    return profiles.values().stream().mapToLong(RawProfile::samples).sum();
  }

  /** What was lost so far. */
  public long lostCount() {
    long lost = samples.withoutStack() + kernel.missedEvents();
    for (Counter counter : Counter.values()) {
      lost += counter.isLoss() ? kernel.counter(counter) : 0;
    }
    return lost;
  }

  /** A recording of what came since the last one, or since the start; recording goes on. */
  public Recording cut(Map<String, String> facts) {
    long now = now();
    sums.ifPresent(all -> all.turn(this::takeSum));
    settled = sideBand.drain();
    ring.consume(); // the stacks of the sums that are taken next
    sums.ifPresent(all -> all.turn(this::takeSum));
    collectors.values().forEach(collector -> collector.countPresent(now));
    earlyNames.close();
    try {
      naming.begin();
      Map<String, RawProfile> parts = new LinkedHashMap<>();
      profiles.forEach((mode, profile) -> parts.put(mode, profile.cut()));
      RecordingBuilder builder = named(parts);
      Map<String, Long> losses = losses();
      List<Profile> built = builder.build(naming.tableSoFar(), since(lossesBefore, losses));
      lossesBefore = losses;
      return new Recording(clock.wall(started), now - started, built, facts);
    } finally {
      earlyNames = new EarlyNames(stacks, processes, naming, earlyNames);
      started = now;
    }
  }

  private static Map<String, Long> since(Map<String, Long> before, Map<String, Long> now) {
    Map<String, Long> since = new HashMap<>();
    now.forEach((reason, n) -> put(since, reason, n - before.getOrDefault(reason, 0L)));
    return since;
  }

  /** Names the rows of profiles. */
  private RecordingBuilder named(Map<String, RawProfile> raw) {
    RecordingBuilder builder = new RecordingBuilder(naming, clock);
    raw.forEach(
        (mode, profile) -> {
          List<Collector> feeding =
              Modes.of(mode).parts(mode).stream().map(collectors::get).toList();
          // The last one that feeds it knows most of it: of wall, offcpu. The first one samples.
          builder.add(profile, feeding.getLast(), feeding.getFirst());
        });
    return builder;
  }

  /** Looks up the names. To be called after {@link #stop}, once; the recording outlives us. */
  public Recording finish(Map<String, String> facts) {
    try (symbolizer) {
      symbolizer.askServer();
      naming.begin();
      RecordingBuilder builder = named(profiles);
      Map<String, String> all = new HashMap<>(facts);
      refused.forEach((mode, why) -> all.put("not recorded: " + mode, why));
      symbolizer.kernelProblem().ifPresent(problem -> all.put("kernel symbols", problem));
      server.ifPresent(s -> all.put("debuginfod", s.summary()));
      nameTrouble().ifPresent(trouble -> all.put(NAMES, trouble));
      all.put(UNWOUND, unwinding.summary(kernel));
      if (!hostsPids) {
        all.put("process names", "none: recorded in a pid namespace of its own");
      }
      long untimed = profiles.values().stream().mapToLong(RawProfile::untimed).sum();
      if (untimed > 0) {
        all.put("samples without time", untimed + ", because the temporary disk is full");
      }
      return new Recording(
          clock.wall(started),
          ended - started,
          builder.build(naming.table(), since(lossesBefore, losses())),
          all);
    }
  }

  private Map<String, Long> losses() {
    Map<String, Long> losses = new HashMap<>();
    for (Counter counter : Counter.values()) {
      long n = counter.isLoss() ? kernel.counter(counter) : 0;
      if (n > 0) {
        losses.put(counter.lossText(), n);
      }
    }
    put(losses, "event within an event", kernel.missedEvents());
    put(
        losses,
        stacks.refused() > 0
            ? "too many different stacks (PLUMB_HEAP=1g holds more)"
            : "stack never arrived",
        samples.withoutStack());
    return losses;
  }

  /** What costs names and stacks, but no samples. */
  private Optional<String> nameTrouble() {
    List<String> trouble = new ArrayList<>();
    if (sideBand.lost() > 0) {
      trouble.add(sideBand.lost() + " events of processes lost");
    }
    if (files.refused() > 0) {
      trouble.add("too many files to hold open: " + files.refused());
    }
    return trouble.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", trouble));
  }

  private static void put(Map<String, Long> losses, String reason, long n) {
    if (n > 0) {
      losses.put(reason, n);
    }
  }

  @Override
  public void close() {
    earlyNames.close();
    naming.close();
    symbolizer.close();
    collectors.values().forEach(Collector::close);
    sums.ifPresent(Sums::close);
    ring.close();
    unwinding.close();
    finder.close();
    closeAll(kernel, sideBand, files);
  }

  private static void closeAll(KernelSide kernel, SideBand sideBand, BackingFiles files) {
    if (kernel != null) {
      kernel.close();
    }
    if (sideBand != null) {
      sideBand.close();
    }
    files.close();
  }

  private static long now() {
    return SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
  }
}
