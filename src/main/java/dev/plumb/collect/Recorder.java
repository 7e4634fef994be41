package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.RingBuffer;
import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.KernelSide;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.kernel.StartupPrefetch;
import dev.plumb.collect.kernel.Sums;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.Samples;
import dev.plumb.collect.mode.Workbench;
import dev.plumb.collect.naming.EarlyNames;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.raw.ClockOffsets;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.raw.RawThreads;
import dev.plumb.collect.raw.RowBudget;
import dev.plumb.collect.tables.PriorityBoost;
import dev.plumb.collect.tables.Unwinding;
import dev.plumb.linux.Clock;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.process.BackingFile;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * One recording: loads and attaches what its modes need, reads what comes, and makes a {@link
 * Recording} of it in the end. For one thread.
 */
public final class Recorder implements AutoCloseable {
  /** The fact of a recording that says how unwinding went. */
  public static final String UNWOUND = "stacks unwound in user space";

  /** The fact of a recording that says why names may be missing. */
  public static final String NAMES = "names may be missing";

  /** The fact of a recording that says that processes are missing. */
  public static final String UNWATCHED = "processes not watched";

  private static final int MAX_HELD_FILES = 4096;
  private static final int RLIMIT_NOFILE = 7;
  private static final long TICK_NANOS = 1_000_000_000;
  private static final int POLL_MILLIS = 100;

  private static final int FIRST_NICE = -10;

  /** Samples a second from which on tables are made before. */
  private static final int MANY = 1000;

  /** Of how many processes. */
  private static final int BUSIEST = 48;

  /** For how long, where all of the machine is watched. */
  private static final long MACHINE_WAIT_NANOS = 1_000_000_000;

  /** What the end of a recording may wait for tables of stacks that were copied. */
  private static final long LAST_TABLES_NANOS = 3_000_000_000L;

  /** Where tables are made, more are wanted soon: the sooner they are, the fewer copies come. */
  private static final int SOON_MILLIS = 2;

  private final RecordOptions options;
  private final ProcessTable processTable = new ProcessTable();
  private final BackingFiles files = new BackingFiles(heldFiles());
  private final RawProcesses processes = new RawProcesses(new Finder(), this::place);
  private final RawThreads threads = new RawThreads();
  private final RawStacks stacks;
  private final ClockOffsets clock = new ClockOffsets();
  private final Symbolizer symbolizer = new Symbolizer();
  private final OwnMemory memory = new OwnMemory();
  private final ReaderPriority priority = new ReaderPriority();
  private final SideBand sideBand;
  private final ProcessFinder finder;
  private final Unwinding unwinding;
  private final Samples samples;
  private final RowBudget rows;
  private final Losses losses;
  private final ActiveModes modes;
  private final KernelSide kernel;
  private final RingBuffer ring;
  private Naming naming;
  private EarlyNames earlyNames;
  private Optional<Sums> sums = Optional.empty();
  private final boolean hostsPids;
  private Optional<Debuginfod> server = Optional.empty();
  private long started;
  private long ended;
  private long nextTick;
  private int timesForgotten;

  /** Of parts that were cut off. */
  private long samplesBefore;

  /** The ring holds a copy that was too young to be taken. */
  private boolean copiesPending;

  /** What happened to processes is known up to here. */
  private long settled;

  /** When the ring was read last. */
  private long lastRead;

  /** Begins what does not depend on options, on a thread of its own. */
  public static void readAhead() {
    StartupPrefetch.begin();
  }

  /** Loads what is needed; nothing is attached yet. */
  public Recorder(RecordOptions options) {
    this(options, RawStacks.Limits.ofHeap(Runtime.getRuntime().maxMemory() / 2));
  }

  /** For a recording that is cut into parts for days. */
  public static Recorder forLong(RecordOptions options) {
    return new Recorder(options, RawStacks.Limits.ofHeap(Runtime.getRuntime().maxMemory() / 2));
  }

  Recorder(RecordOptions options, RawStacks.Limits limits) {
    Modes.require(options.modes());
    this.options = options;
    priority.raise(); // on a busy machine, to load would take ten times as long
    this.stacks = new RawStacks(processes, limits);
    boolean ok = false;
    SideBand band = null;
    KernelSide side = null;
    try {
      band = new SideBand(processTable, files, Cpus.online());
      side = new KernelSide(options.target(), options.stacks(), options.ringBytes());
      ok = true;
    } finally {
      if (!ok) {
        priority.lower();
        closeAll(side, band, files);
      }
    }
    this.sideBand = band;
    this.kernel = side;
    this.finder = new ProcessFinder(processTable, files);
    this.unwinding = new Unwinding(finder, options.stacks().maxUserFrames());
    this.samples = new Samples(stacks, processes, threads, finder, clock);
    this.rows = RowBudget.ofHeap(Runtime.getRuntime().maxMemory());
    this.losses = new Losses(kernel);
    beginNaming();
    this.ring = new RingBuffer();
    try (ProcReader reader = new ProcReader()) {
      this.hostsPids = ProcNamespaces.isHosts(reader, "pid");
    }
    this.modes =
        new ActiveModes(
            new Workbench(options, samples, stacks, processes, finder, unwinding), rows);
    try {
      modes.attempt(collector -> collector.load(kernel));
      ring.addWhile(kernel.records(), this::take);
      sums = kernel.has("sums") ? Optional.of(new Sums(kernel.map("sums"))) : Optional.empty();
      unwinding.begin(kernel, memory::look);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    priority.lower();
  }

  /** The modes that are not recorded because it is not possible, and why. */
  public Map<String, String> refused() {
    return modes.refused();
  }

  /** Half of the descriptors we may have: the rest is for everything else, outputs above all. */
  private static int heldFiles() {
    return Math.clamp(SystemCalls.getrlimit(RLIMIT_NOFILE) >>> 1, 1, MAX_HELD_FILES);
  }

  /** Debug files that this machine does not have are asked for there, when it is over. */
  public void useServer(Debuginfod debuginfod) {
    symbolizer.useServer(debuginfod);
    server = Optional.of(debuginfod);
  }

  /** Lets all threads of this process go before others: what is watched must not starve us. */
  public static void goFirst() {
    int nice = Math.min(SystemCalls.niceValue(), FIRST_NICE);
    if (SystemCalls.trySetNice(nice) == 0) {
      PriorityBoost.set(nice);
    }
  }

  /** Keeps up with processes while recording has not begun. */
  public void standBy() {
    settled = sideBand.drain();
    processTable.forgetEnded(settled - TICK_NANOS);
  }

  /** Attaches; from now on samples come. */
  public void start() {
    priority.raise();
    // To attach takes seconds where allocators are probed. Nobody reads meanwhile, and all modes
    // are to begin at once.
    kernel.pause(true);
    unwinding.makeEarly(options.memory().command());
    prepare();
    modes.attempt(Collector::start);
    started = now();
    kernel.pause(false);
    // Modes may ask which processes are there now: what happened meanwhile must be known then.
    settled = sideBand.drain();
    modes.attempt(Collector::begin);
    scan();
    nextTick = started + TICK_NANOS;
    kernel.letGo();
    memory.release(); // to load took much
    priority.lower(); // a command that is started next must not inherit it
  }

  /**
   * Of what is going to be watched, tables are made first: until they are there, stacks have to be
   * copied, and where samples are many, not all can be.
   */
  private void prepare() {
    Target target = options.target();
    if (target.launched()) {
      return;
    }
    boolean many =
        !options.modes().equals(List.of("cpu")) || options.hertz() * Cpus.online().length > MANY;
    if (target.pids().isEmpty() && !many) {
      return; // what is copied meanwhile is little
    }
    settled = sideBand.drain();
    unwinding.prepare(
        running(target),
        target.pids().isEmpty() ? MACHINE_WAIT_NANOS : Unwinding.LONGEST_WAIT_NANOS);
    Map<Integer, Long> numbers = kernel.listProcesses();
    long listed = now();
    do {
      settled = sideBand.drain();
    } while (settled < listed); // a process that has exec'd before has another image
    unwinding.assign(numbers, running(target));
  }

  /** The processes to prepare for. */
  private List<ProcessImage> running(Target target) {
    long now = now();
    List<Integer> pids = target.pids().isEmpty() ? finder.busiest(BUSIEST) : target.pids();
    return pids.stream().flatMap(pid -> processes.find(pid, now).stream()).toList();
  }

  /** Looks at what is there already. Of a command that is only what it will be forked from. */
  private void scan() {
    if (options.target().launched()) {
      finder.scanLater(List.of(SystemCalls.getpid()));
      finder.scanSome();
    } else {
      finder.scanLater(options.target().pids());
    }
  }

  /** Reads for a time, or until told to stop; what comes is at most a tenth of a second old. */
  public void runFor(long nanos, BooleanSupplier done) {
    long start = System.nanoTime();
    long rest = nanos;
    priority.raise();
    while (rest > 0 && !done.getAsBoolean()) {
      turn(rest);
      rest = nanos - (System.nanoTime() - start);
    }
  }

  /** Waits and reads. A method of its own: the JVM compiles what is called again and again. */
  private void turn(long maxNanos) {
    boolean soon = copiesPending || unwinding.isBehind() || unwinding.hasLearnt();
    int longest = soon ? SOON_MILLIS : POLL_MILLIS;
    ring.poll((int) Math.min(longest, maxNanos / 1_000_000 + 1));
    keepUp();
    earlyNames.hurry();
    memory.look();
    if (now() >= nextTick) {
      nextTick += TICK_NANOS;
      tick();
    }
  }

  /** What is done about once a second. */
  private void tick() {
    clock.take();
    sideBand.follow(Cpus.online());
    unwinding.tick();
    modes.each(Collector::tick);
    sums.ifPresent(all -> all.turn(modes::takeSum));
    earlyNames.begin();
    memory.tick(sampleCount());
  }

  /** Reads what has come; the kernel side wakes us only when the ring fills up. */
  private void keepUp() {
    copiesPending = false;
    settled = sideBand.drain();
    unwinding.write(); // of what was mapped since: until then stacks there are copied
    ring.consume();
    unwinding.catchUp(stacks);
    processTable.forgetEnded(settled - TICK_NANOS);
    finder.scanSome();
    unwinding.write();
    lastRead = System.nanoTime();
  }

  /** The same if it is time, amid what may take longer than the ring has room for. */
  private void keepUpNowAndThen() {
    if (System.nanoTime() - lastRead > POLL_MILLIS * 1_000_000L) {
      keepUp();
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
    modes.take(kind, record);
    return true;
  }

  /**
   * In a pid namespace of our own, /proc and the side band number processes otherwise than the
   * kernel side does: better no name than another process's.
   */
  private final class Finder implements RawProcesses.Finder {
    @Override
    public Optional<ProcessImage> find(int pid, long time) {
      return hostsPids ? finder.find(pid, time) : Optional.empty();
    }

    @Override
    public void refresh(ProcessImage image, long time) {
      finder.refresh(image, time);
    }
  }

  private void place(ProcessImage image) {
    finder.place(image);
  }

  /** Detaches everything; nothing is lost that was measured. */
  public void stop() {
    ended = now();
    kernel.pause(true);
    symbolizer.prepare();
    modes.each(Collector::stop);
    sideBand.drainAll();
    settled = Long.MAX_VALUE;
    ring.consume();
    unwinding.unwindAll(stacks, LAST_TABLES_NANOS, () -> {});
    for (int turn = 0; turn < 2; turn++) {
      sums.ifPresent(all -> all.turn(modes::takeSum));
    }
    modes.each(collector -> collector.countUnended(ended));
    modes.each(collector -> collector.countPresent(ended));
    unwinding.end();
    priority.lower();
    stacks.complete();
    earlyNames.close();
  }

  /** Whether stacks wait for tables that are being made: a part that is cut off now cuts them. */
  public boolean isBehind() {
    return unwinding.isBehind();
  }

  /** For how long samples have come, since the start or since the last part was cut off. */
  public long elapsedNanos() {
    return now() - started;
  }

  /** Whether what is held takes so much that it had better be cut off. */
  public boolean isLarge() {
    return stacks.isLarge() || rows.isHalfFull() || modes.areLarge();
  }

  /** Whether there will soon be no room: then whatever is longer than a second is cut off. */
  public boolean isNearlyFull() {
    return elapsedNanos() > TICK_NANOS && (stacks.isNearlyFull() || rows.isHalfFull());
  }

  /** Samples taken so far, over all modes. */
  public long sampleCount() {
    return samplesBefore + modes.samples();
  }

  /** What was lost so far. */
  public long lostCount() {
    return modes.lost(losses);
  }

  /** A recording of what came since the last one, or since the start; recording goes on. */
  public Recording cut(Map<String, String> facts) {
    return cut(facts, true);
  }

  /**
   * The same as a part of a longer recording: what is a state and no event, as memory in use is, is
   * told by the last part alone.
   */
  public Recording cutPart(Map<String, String> facts) {
    return cut(facts, false);
  }

  private Recording cut(Map<String, String> facts, boolean isOfItsOwn) {
    earlyNames.close(this::keepUp);
    boolean forgetting = stacks.isLarge() || stacks.isMostlyUnmet() || modes.areLarge();
    if (forgetting) {
      kernel.sendAgain();
    }
    long now = now();
    keepUp(); // the sums that rest may do so only since the last tick
    sums.ifPresent(all -> all.turn(modes::takeSum));
    keepUp(); // the stacks of the sums that are taken next
    if (forgetting) {
      modes.each(collector -> collector.meetHeld(this::keepUpNowAndThen));
    }
    sums.ifPresent(all -> all.turn(modes::takeSum));
    unwinding.unwindAll(stacks, 0, () -> {});
    modes.each(collector -> collector.countOngoing(now));
    if (isOfItsOwn) {
      modes.each(collector -> collector.countPresent(now));
    }
    samplesBefore += modes.samples();
    try {
      naming.begin();
      // What comes while old numbers are to be forgotten would have both old and new ones.
      Runnable meanwhile = forgetting ? () -> {} : this::keepUpNowAndThen;
      RecordingBuilder builder = new RecordingBuilder(naming, stacks, clock, meanwhile);
      modes.nameParts(builder, losses);
      List<Profile> built = builder.build(naming.tableSoFar());
      Map<String, String> all = new HashMap<>(facts);
      modes.each(collector -> all.putAll(collector.facts()));
      addUnwatched(all);
      return new Recording(clock.wall(started), now - started, built, all);
    } finally {
      if (forgetting) {
        forget();
      } else {
        earlyNames = new EarlyNames(stacks, processes, naming, earlyNames);
        stacks.beginPart();
      }
      started = now;
    }
  }

  /** What long recordings would drown in: stacks and processes that have not been seen for long. */
  private void forget() {
    timesForgotten++;
    stacks.forgetUnmet();
    threads.clear();
    modes.each(Collector::forget);
    naming.close();
    beginNaming();
    memory.expectLess();
    if (files.isNearlyFull()) {
      Set<BackingFile> inUse = new HashSet<>();
      processTable.addFiles(inUse);
      stacks.regions().addFiles(inUse);
      unwinding.addFiles(inUse);
      unwinding.keepOnly(inUse);
      files.release(inUse);
    }
  }

  int timesForgotten() {
    return timesForgotten;
  }

  private void beginNaming() {
    naming = new Naming(stacks, processes, threads, symbolizer, clock);
    earlyNames = new EarlyNames(stacks, processes, naming);
  }

  /** Looks up the names. To be called after {@link #stop}, once; the recording outlives us. */
  public Recording finish(Map<String, String> facts) {
    try (symbolizer) {
      symbolizer.askServer();
      naming.begin();
      RecordingBuilder builder = new RecordingBuilder(naming, stacks, clock, memory::look);
      modes.nameAll(builder, losses);
      Map<String, String> all = new HashMap<>(facts);
      modes.each(collector -> all.putAll(collector.facts()));
      addUnwatched(all);
      modes.refused().forEach((mode, why) -> all.put("not recorded: " + mode, why));
      symbolizer.kernelProblem().ifPresent(problem -> all.put("kernel symbols", problem));
      server.ifPresent(s -> all.put("debuginfod", s.summary()));
      nameTrouble().ifPresent(trouble -> all.put(NAMES, trouble));
      all.put(UNWOUND, unwinding.summary(kernel));
      if (!hostsPids) {
        all.put("process names", "none: recorded in a separate pid namespace");
      }
      long untimed = modes.untimed();
      if (untimed > 0) {
        all.put("samples without time", untimed + ", because the temporary disk is full");
      }
      return new Recording(
          clock.wall(started), ended - started, builder.build(naming.table()), all);
    }
  }

  private void addUnwatched(Map<String, String> facts) {
    long children = kernel.counter(Counter.LOST_CHILDREN);
    if (children > 0) {
      facts.put(UNWATCHED, children + ", because there are too many");
    }
  }

  /**
   * How many events of a mode were to be kept, as the kernel side counts them where they happen.
   */
  long due(String mode) {
    return modes.due(mode, kernel);
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

  @Override
  public void close() {
    priority.lower();
    earlyNames.close();
    naming.close();
    symbolizer.close();
    modes.close();
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

  static long now() {
    return Clock.monotonic();
  }
}
