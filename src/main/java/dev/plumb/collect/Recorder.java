package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.RingBuffer;
import dev.plumb.linux.Cpus;
import dev.plumb.linux.ProcNamespaces;
import dev.plumb.linux.ProcReader;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFiles;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.process.ProcessTable;
import dev.plumb.process.SideBand;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import dev.plumb.symbols.Symbolizer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * One recording: loads and attaches what its modes need, reads what comes, and makes a {@link
 * Recording} of it in the end. For one thread.
 */
public final class Recorder implements AutoCloseable {
  /** The fact of a recording that says how unwinding went. */
  public static final String UNWOUND = "stacks unwound in user space";

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
  private final List<Collector> collectors = new ArrayList<>();
  private final ClockOffsets clock = new ClockOffsets();
  private final Symbolizer symbolizer = new Symbolizer();
  private final SideBand sideBand;
  private final ProcessFinder finder;
  private final Unwinding unwinding;
  private final Samples samples;
  private final Naming naming;
  private final EarlyNames earlyNames;
  private final KernelSide kernel;
  private final RingBuffer ring;
  private final boolean hostsPids;
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
    this.unwinding = Unwinding.forRecording(finder, options.stacks().maxUserFrames());
    this.samples = new Samples(stacks, processes, threads, finder);
    this.naming = new Naming(stacks, processes, threads, symbolizer, clock);
    this.earlyNames = new EarlyNames(stacks, processes, naming);
    this.ring = new RingBuffer();
    try (ProcReader reader = new ProcReader()) {
      this.hostsPids = ProcNamespaces.isHosts(reader, "pid");
    }
    makeCollectors();
    try {
      collectors.forEach(collector -> collector.load(kernel));
      ring.addWhile(kernel.records(), this::take);
      unwinding.begin(kernel);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Half of the descriptors we may have: the rest is for everything else, outputs above all. */
  private static int heldFiles() {
    return Math.clamp(SystemCalls.getrlimit(RLIMIT_NOFILE) >>> 1, 1, MAX_HELD_FILES);
  }

  private void makeCollectors() {
    for (String mode : options.modes()) {
      profiles.put(mode, new RawProfile(meaning(mode, options.hertz())));
    }
    List<RawProfile> onCpu = wanted("cpu");
    if (!onCpu.isEmpty()) {
      collectors.add(new CpuCollector(samples, onCpu, options.hertz()));
    }
    List<RawProfile> offCpu = wanted("offcpu");
    if (!offCpu.isEmpty()) {
      WaitingThreads waiting = new WaitingThreads(stacks, processes, unwinding);
      collectors.add(new OffCpuCollector(samples, offCpu, options.waits(), waiting));
    }
  }

  private static RawProfile.Meaning meaning(String mode, int hertz) {
    return switch (mode) {
      case "cpu" -> CpuCollector.meaning(hertz);
      case "offcpu" -> OffCpuCollector.meaning();
      default -> wallMeaning(hertz);
    };
  }

  /** The names of what a mode measures. */
  public static List<String> values(String mode) {
    return meaning(mode, 1).types().stream().map(ValueType::name).toList();
  }

  private List<RawProfile> wanted(String mode) {
    return profiles.entrySet().stream()
        .filter(e -> e.getKey().equals(mode) || e.getKey().equals("wall"))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** On-CPU and off-CPU time in one: each thread's time adds up to the wall clock's. */
  private static RawProfile.Meaning wallMeaning(int hertz) {
    RawProfile.Meaning cpu = CpuCollector.meaning(hertz);
    ValueType time = new ValueType("wall", "nanoseconds");
    return new RawProfile.Meaning(
        "wall", "wall", List.of(cpu.types().getFirst(), time), 1, time, 0);
  }

  /** Attaches; from now on samples come. */
  public void start() {
    started = now();
    collectors.forEach(Collector::start);
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
        collectors.forEach(Collector::tick);
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
    for (Collector collector : collectors) {
      if (collector.recordKind() == kind) {
        collector.take(record);
      }
    }
    return true;
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
    symbolizer.prepare();
    collectors.forEach(Collector::stop);
    sideBand.drainAll();
    settled = Long.MAX_VALUE;
    ring.consume();
    collectors.forEach(collector -> collector.countUnended(ended));
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
    long lost = samples.withoutStack();
    for (Counter counter : Counter.values()) {
      lost += counter.isLoss() ? kernel.counter(counter) : 0;
    }
    return lost;
  }

  /** Looks up the names. To be called after {@link #stop}, once; the recording outlives us. */
  public Recording finish(Map<String, String> facts) {
    try (symbolizer) {
      naming.begin();
      RecordingBuilder builder = new RecordingBuilder(naming, clock);
      for (RawProfile profile : profiles.values()) {
        List<Collector> feeding =
            collectors.stream().filter(collector -> collector.feeds(profile)).toList();
        // The last one that feeds it knows most of it: of wall, offcpu. The first one samples.
        builder.add(profile, feeding.getLast(), feeding.getFirst());
      }
      Map<String, String> all = new HashMap<>(facts);
      symbolizer.kernelProblem().ifPresent(problem -> all.put("kernel symbols", problem));
      all.put(UNWOUND, unwinding.summary(kernel));
      if (!hostsPids) {
        all.put("process names", "none: recorded in a pid namespace of its own");
      }
      long untimed = profiles.values().stream().mapToLong(RawProfile::untimed).sum();
      if (untimed > 0) {
        all.put("samples without time", untimed + ", because the temporary disk is full");
      }
      return new Recording(clock.wall(started), ended - started, builder.build(losses()), all);
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
    put(
        losses,
        stacks.refused() > 0
            ? "too many different stacks (PLUMB_HEAP=1g holds more)"
            : "stack never arrived",
        samples.withoutStack());
    put(losses, "process event lost", sideBand.lost());
    put(losses, "too many files to hold open", files.refused());
    return losses;
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
    collectors.forEach(Collector::close);
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
