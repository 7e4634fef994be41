package dev.plumb.collect;

import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSums;
import dev.plumb.collect.kernel.StartupPrefetch;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.CollectorContext;
import dev.plumb.collect.mode.DetailKeeper;
import dev.plumb.collect.mode.FactReporter;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.SampleSink;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.naming.EarlyNames;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.raw.ClockOffsets;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.raw.RawThreads;
import dev.plumb.collect.raw.RowBudget;
import dev.plumb.collect.tables.Unwinding;
import dev.plumb.linux.Clock;
import dev.plumb.process.ProcessFinder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.symbols.Symbolizer;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * One recording: loads and attaches what its modes need, reads what comes, and makes a {@link
 * Recording} of it at the end. For one thread.
 */
public final class Recorder implements AutoCloseable {
  /** The fact of a recording that says how unwinding went. */
  public static final String UNWOUND = "stacks unwound in user space";

  /** The fact of a recording that says why names may be missing. */
  public static final String NAMES = "names may be missing";

  /** The fact of a recording that says that processes are missing. */
  public static final String UNWATCHED = "processes not watched";

  private static final long TICK_NANOS = 1_000_000_000;

  /** How long the end of a recording may wait for tables of stacks that were copied. */
  private static final long LAST_TABLES_NANOS = 3_000_000_000L;

  private final RecordOptions options;
  private final RawThreads threads = new RawThreads();
  private final RawStacks stacks;
  private final ClockOffsets clock = new ClockOffsets();
  private final Symbolizer symbolizer = new Symbolizer();
  private final OwnMemory memory = new OwnMemory();
  private final ReaderPriority priority = new ReaderPriority();
  private final ProcessTracking tracking;
  private final Unwinding unwinding;
  private final SampleSink samples;
  private final RowBudget rows;
  private final Losses losses;
  private final ActiveModes modes;
  private final KernelPrograms kernel;
  private final EventReader events;
  private Naming naming;
  private EarlyNames earlyNames;
  private Optional<KernelSums> sums = Optional.empty();
  private Optional<Debuginfod> server = Optional.empty();
  private long started;
  private long ended;
  private long nextTick;
  private int timesForgotten;

  /** Of parts that were cut off. */
  private long samplesBefore;

  /** Starts what does not depend on options, on a separate thread. */
  public static void prefetch() {
    StartupPrefetch.begin();
  }

  /** Loads what is needed; nothing is attached yet. */
  public Recorder(RecordOptions options) {
    this(options, RawStacks.Limits.ofHeap(Runtime.getRuntime().maxMemory() / 2));
  }

  Recorder(RecordOptions options, RawStacks.Limits limits) {
    Modes.require(options.modes());
    this.options = options;
    priority.raise(); // on a busy machine, loading would take ten times as long
    boolean ok = false;
    ProcessTracking processes = null;
    KernelPrograms side = null;
    try {
      processes = new ProcessTracking();
      side = new KernelPrograms(options.target(), options.stacks(), options.ringBytes());
      ok = true;
    } finally {
      if (!ok) {
        priority.lower();
        if (processes != null) {
          processes.close();
        }
      }
    }
    this.tracking = processes;
    this.kernel = side;
    this.stacks = new RawStacks(tracking.processes(), limits);
    ProcessFinder finder = tracking.finder();
    this.unwinding = new Unwinding(finder, options.stacks().maxUserFrames());
    this.samples = new SampleSink(stacks, tracking.processes(), threads, finder, clock);
    this.rows = RowBudget.ofHeap(Runtime.getRuntime().maxMemory());
    this.losses = new Losses(kernel);
    beginNaming();
    this.modes =
        new ActiveModes(
            new CollectorContext(options, samples, stacks, tracking.processes(), finder, unwinding),
            rows);
    this.events = new EventReader(tracking, stacks, unwinding, modes);
    try {
      modes.attempt(collector -> collector.load(kernel));
      events.open(kernel);
      sums =
          kernel.has("sums") ? Optional.of(new KernelSums(kernel.map("sums"))) : Optional.empty();
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

  /** Missing debug files are fetched from this server, at the end. */
  public void useServer(Debuginfod debuginfod) {
    symbolizer.useServer(debuginfod);
    server = Optional.of(debuginfod);
  }

  /** Follows processes before the recording starts. */
  public void standBy() {
    tracking.drain();
    tracking.forgetEnded();
  }

  /** Attaches; from now on samples come. */
  public void start() {
    priority.raise();
    // Attaching takes seconds where allocators are probed. Nothing is read meanwhile, and all modes
    // are to begin at once.
    kernel.pause(true);
    EarlyTables.make(options, tracking, unwinding, kernel);
    modes.attempt(Collector::start);
    started = now();
    kernel.pause(false);
    // Modes may ask which processes are there now: what happened meanwhile must be known then.
    tracking.drain();
    modes.attempt(Collector::begin);
    tracking.scan(options.target());
    nextTick = started + TICK_NANOS;
    kernel.letGo();
    memory.release(); // loading took much
    priority.lower(); // a command that is started next must not inherit it
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
    events.poll(maxNanos);
    earlyNames.hurry();
    memory.look();
    if (now() >= nextTick) {
      nextTick += TICK_NANOS;
      tick();
    }
  }

  /** What is done about once per second. */
  private void tick() {
    clock.take();
    tracking.followCpus();
    unwinding.tick();
    modes.each(Collector::tick);
    sums.ifPresent(all -> all.turn(modes::takeSum));
    earlyNames.begin();
    memory.tick(sampleCount());
  }

  /** Detaches everything; nothing is lost that was measured. */
  public void stop() {
    ended = now();
    kernel.pause(true);
    symbolizer.prepare();
    modes.each(Collector::stop);
    events.readAll();
    unwinding.unwindAll(stacks, LAST_TABLES_NANOS, () -> {});
    for (int turn = 0; turn < 2; turn++) {
      sums.ifPresent(all -> all.turn(modes::takeSum));
    }
    modes.each(OngoingCounter.class, counter -> counter.countUnended(ended));
    modes.each(OngoingCounter.class, counter -> counter.countPresent(ended));
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

  /** Whether so much is held that it is better to cut. */
  public boolean isLarge() {
    return stacks.isLarge() || rows.isHalfFull() || modes.areLarge();
  }

  /** Whether there will soon be no room, in a part that is longer than a second. */
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
   * The same as a part of a longer recording: states, such as memory in use, are in the last part
   * only.
   */
  public Recording cutPart(Map<String, String> facts) {
    return cut(facts, false);
  }

  private Recording cut(Map<String, String> facts, boolean isOfItsOwn) {
    earlyNames.close(events::read);
    boolean forgetting = stacks.isLarge() || stacks.isMostlyUnmet() || modes.areLarge();
    if (forgetting) {
      kernel.sendAgain();
    }
    long now = now();
    events.read(); // the sums that rest may do so only since the last tick
    sums.ifPresent(all -> all.turn(modes::takeSum));
    events.read(); // the stacks of the sums that are taken next
    if (forgetting) {
      modes.each(StackHolder.class, holder -> holder.meetHeld(events::readNowAndThen));
    }
    sums.ifPresent(all -> all.turn(modes::takeSum));
    unwinding.unwindAll(stacks, 0, () -> {});
    modes.each(OngoingCounter.class, counter -> counter.countOngoing(now));
    if (isOfItsOwn) {
      modes.each(OngoingCounter.class, counter -> counter.countPresent(now));
    }
    samplesBefore += modes.samples();
    try {
      naming.begin();
      // What comes while old numbers are to be forgotten would have both old and new ones.
      Runnable meanwhile = forgetting ? () -> {} : events::readNowAndThen;
      RecordingBuilder builder = new RecordingBuilder(naming, stacks, clock, meanwhile);
      modes.nameParts(builder, losses);
      List<Profile> built = builder.build(naming.tableSoFar());
      Map<String, String> all = new HashMap<>(facts);
      modes.each(FactReporter.class, reporter -> all.putAll(reporter.facts()));
      addUnwatched(all);
      return new Recording(clock.wall(started), now - started, built, all);
    } finally {
      if (forgetting) {
        forget();
      } else {
        earlyNames = new EarlyNames(stacks, tracking.processes(), naming, earlyNames);
        stacks.beginPart();
      }
      started = now;
    }
  }

  /**
   * Forgets stacks and processes that have not been seen for long: long recordings would drown in
   * them.
   */
  private void forget() {
    timesForgotten++;
    stacks.forgetUnmet();
    threads.clear();
    modes.each(DetailKeeper.class, DetailKeeper::forget);
    naming.close();
    beginNaming();
    memory.expectLess();
    tracking.releaseFiles(stacks, unwinding);
  }

  int timesForgotten() {
    return timesForgotten;
  }

  private void beginNaming() {
    naming = new Naming(stacks, tracking.processes(), threads, symbolizer, clock);
    earlyNames = new EarlyNames(stacks, tracking.processes(), naming);
  }

  /**
   * Looks up the names. To be called after {@link #stop}, once; the recording outlives this
   * recorder.
   */
  public Recording finish(Map<String, String> facts) {
    try (symbolizer) {
      symbolizer.askServer();
      naming.begin();
      RecordingBuilder builder = new RecordingBuilder(naming, stacks, clock, memory::look);
      modes.nameAll(builder, losses);
      Map<String, String> all = new HashMap<>(facts);
      modes.each(FactReporter.class, reporter -> all.putAll(reporter.facts()));
      addUnwatched(all);
      modes.refused().forEach((mode, why) -> all.put("not recorded: " + mode, why));
      symbolizer.kernelProblem().ifPresent(problem -> all.put("kernel symbols", problem));
      server.ifPresent(s -> all.put("debuginfod", s.summary()));
      tracking.trouble().ifPresent(trouble -> all.put(NAMES, trouble));
      all.put(UNWOUND, unwinding.summary(kernel));
      if (!tracking.hostsPids()) {
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

  @Override
  public void close() {
    priority.lower();
    earlyNames.close();
    naming.close();
    symbolizer.close();
    modes.close();
    sums.ifPresent(KernelSums::close);
    events.close();
    unwinding.close();
    kernel.close();
    tracking.close();
  }

  static long now() {
    return Clock.monotonic();
  }
}
