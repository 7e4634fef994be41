package dev.plumb.cli.record;

import dev.plumb.cli.options.DebuginfodOptions;
import dev.plumb.cli.options.PushOptions;
import dev.plumb.cli.options.Rights;
import dev.plumb.cli.options.TargetOptions;
import dev.plumb.cli.run.HandOver;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.run.Pushing;
import dev.plumb.cli.run.Workload;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.Durations;
import dev.plumb.cli.text.SafeText;
import dev.plumb.cli.text.Stderr;
import dev.plumb.cli.text.Summary;
import dev.plumb.cli.text.Version;
import dev.plumb.collect.Modes;
import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.Filter;
import dev.plumb.collect.options.MemoryOptions;
import dev.plumb.collect.options.ProbeOptions;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.kernel.KernelFile;
import dev.plumb.linux.kernel.PressureTrigger;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.push.PushLabels;
import dev.plumb.push.PushTarget;
import dev.plumb.push.Pusher;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Records for a while and writes what it saw. */
@Command(
    name = "record",
    addMethodSubcommands = false, // to look for them takes time
    description = "Records where time goes, and writes it as a flame graph or another format.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    synopsisHeading = "Usage: plumb record [MODE…] [OPTIONS] [-- COMMAND ARGS…]%n",
    customSynopsis = "",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success; with a command, the command's own exit code (128 + n if signal n ended it)",
      "1:failure",
      "2:wrong usage",
      "3:not permitted, or not possible on this kernel",
      "126:the command cannot be executed",
      "127:the command was not found",
    },
    footer = {
      "",
      "Formats by file extension: .html .svg .pb.gz (pprof) .folded .txt (Stack_Analyzer) .perf (perf",
      "script) .speedscope.json .otlp .plumb (everything, including timestamps). -o may be given",
      "several times; - is standard output. With --push and without -o, no file is written.",
      "",
      "Probes that count: event:CATEGORY:NAME uprobe:LIB:FUNCTION[+OFFSET] usdt:LIB:PROVIDER:NAME",
      "kprobe:FUNCTION fentry:FUNCTION sw:NAME hw:NAME. Probes that count and measure the time until",
      "the call returns (--value time): syscall:NAME uretprobe:LIB:FUNCTION kretprobe:FUNCTION",
      "fexit:FUNCTION. FUNCTION may be a pattern, such as mem*.",
      "",
      "Examples:",
      "  plumb record -d 10                       the whole machine, on-CPU → plumb.html",
      "  plumb record offcpu -p 1234 -d 5         what a process waits for",
      "  plumb record wall -o w.html -- ./server  running and waiting, from its first instruction",
      "  plumb record -F 999 -o a.pb.gz -o a.folded -d 30",
      "  plumb record offcpu --min-block 10ms --state D",
      "  plumb record uretprobe:libc:malloc --value time -p 1234 -d 5",
      "  plumb record syscall:openat --args filename -d 5",
      "  plumb record cpu offcpu -i 15 --push http://pyroscope:4040 --label env=test",
    })
public final class RecordCommand implements Callable<Integer> {
  /** As a duration: no end of its own. */
  static final long UNTIL_TOLD = Long.MAX_VALUE;

  @Parameters(
      arity = "0..*",
      paramLabel = "MODE",
      description =
          "cpu (default), offcpu, wall, runq, load, lock, mem, mem-light, kmem, io, block, cache, readahead, faults, forks, or a probe (below). Several may be given. See `plumb list modes`.")
  List<String> modes = List.of();

  @Mixin TargetOptions targetOptions = new TargetOptions();

  @Option(
      names = "-F",
      paramLabel = "HZ",
      description = "Sampling frequency per CPU, in Hz (default 99).")
  int hertz = 99;

  @Option(
      names = "-d",
      paramLabel = "SECONDS",
      converter = Durations.class,
      description = "Duration; by default until Ctrl-C, or until the command ends.")
  long durationNanos = UNTIL_TOLD;

  @Option(
      names = "-i",
      paramLabel = "SECONDS",
      converter = Durations.class,
      description = "Write a result for each interval: plumb.1.html, plumb.2.html, …")
  long intervalNanos = UNTIL_TOLD;

  @Option(names = "-u", description = "User stacks only.")
  boolean userOnly;

  @Option(names = "-k", description = "Kernel stacks only. With mem: the kernel's memory (kmem).")
  boolean kernelOnly;

  @Option(
      names = "--depth",
      paramLabel = "N",
      description = "Maximum number of user frames per stack (default 1024).")
  int depth = 1024;

  @Option(
      names = "--min-block",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu, wall, lock: ignore shorter waits.")
  long minBlock;

  @Option(
      names = "--max-block",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu, wall, lock: ignore longer waits.")
  long maxBlock = Long.MAX_VALUE;

  @Option(
      names = "--waker-stacks",
      paramLabel = "TIME",
      converter = Durations.class,
      description =
          "offcpu, wall: record the waker's stack for waits of at least this long (default 50us).")
  long wakerStacks = WaitOptions.DEFAULT_WAKER_STACK_NANOS;

  @Option(
      names = "--state",
      paramLabel = "LETTERS",
      description =
          "offcpu, wall: only these states: S sleep, D disk sleep, T stopped, I idle, R preempted.")
  String states = "";

  @Option(
      names = "--args",
      split = ",",
      paramLabel = "NAMES",
      description =
          "probes: arguments to record as labels: fields of tracepoints, arg0 arg1 … of functions and USDT probes (arg0:str if it points to a string), or all.")
  List<String> arguments = List.of();

  @Option(
      names = "--filter",
      paramLabel = "EXPR",
      description = "probes: only events whose arguments match, e.g. 'count > 4096 && fd == 3'.")
  String filter = "";

  @Option(
      names = "--alloc-lib",
      paramLabel = "LIB",
      description =
          "mem: a library with its own allocator, by its path or a part of its file name.")
  String allocatorLibrary = "";

  @Option(
      names = "--alloc-new",
      description =
          "mem: also measure what operator new of jemalloc, tcmalloc and the like has in use. If it throws bad_alloc meanwhile, the program is terminated.")
  boolean allocatorNews;

  @Option(
      names = "--light",
      description =
          "mem: at low cost, for production: estimate who allocates, from short windows. Memory in use is not measured.")
  boolean light;

  @Mixin OutputOptions outputs = new OutputOptions();

  @Mixin DebuginfodOptions debuginfodOptions = new DebuginfodOptions();

  @Mixin PushOptions pushOptions = new PushOptions();

  @Option(
      names = "--label",
      paramLabel = "K=V",
      description = "Label to store with the recording and to push with it.")
  Map<String, String> labels = new TreeMap<>();

  @Option(
      names = "-n",
      paramLabel = "TOP",
      description = "Rows per table of the summary (default 10).")
  int top = 10;

  @Option(names = "--quiet", description = "Print no progress and no summary.")
  boolean quiet;

  @Option(names = "--verbose", description = "Print details and, with errors, a stack trace.")
  boolean verbose;

  @Option(
      names = "--trigger",
      paramLabel = "RESOURCE:LEVEL:STALL_US:WINDOW_US",
      description =
          "Start only when tasks stall for longer than STALL_US within WINDOW_US: cpu, memory or io; some or full; e.g. io:some:150000:1000000.")
  String triggerText = "";

  private static final int TRIGGER_MILLIS = 100;

  /** Samples a second from which on stacks that have to be copied fill a small ring. */
  private static final int OFTEN = 500;

  /** What is taken is on disk after about this long; of a long recording, later. */
  private static final long LEAST_PART_NANOS = 500_000_000;

  private static final long MOST_PART_NANOS = 10_000_000_000L;

  /** So long a part is not cut off while stacks of it have yet to be unwound. */
  private static final long PATIENCE = 5_000_000_000L;

  /** The number of the one at hand; 0 if there are none. */
  private int interval;

  private List<String> command = List.of();
  private boolean commandGiven;

  /** Servers are asked for names when it is over: until then it stays in memory if it can. */
  private boolean namesComeLate;

  /** What stood behind {@code --}. */
  public void command(List<String> words) {
    command = List.copyOf(words);
    commandGiven = true;
  }

  @Override
  public Integer call() throws Exception {
    RecordOptions options = options();
    List<PushTarget> targets = pushOptions.targets();
    outputs.insteadOfDefault(pushOptions.given());
    outputs.require(options.modes());
    Optional<Debuginfod> servers = debuginfodOptions.servers();
    namesComeLate = servers.isPresent();
    Rights.require();
    Optional<Trigger> trigger =
        triggerText.isEmpty() ? Optional.empty() : Optional.of(Trigger.parse(triggerText));
    // Whatever fails from here on, what was recorded is written first.
    List<RuntimeException> failures = new ArrayList<>();
    int nice = SystemCalls.niceValue();
    Optional<Workload> workload;
    try (PartsOnDisk parts = new PartsOnDisk(outputs, this::say);
        Pushing pushing =
            new Pushing(
                targets, PushLabels.all(new Labels(pushedLabels())), Pusher.DEFAULT_SPOOL_BYTES)) {
      long stopped;
      try (Recorder recorder = new Recorder(options)) {
        servers.ifPresent(recorder::useServer);
        if (trigger.isEmpty()) {
          recorder.start(); // before there is more to set up: it is wanted now
        }
        Interrupts interrupts = new Interrupts();
        workload = startCommand(interrupts);
        if (trigger.isPresent()) {
          if (!await(trigger.get(), recorder, interrupts, workload)) {
            say("nothing was recorded: the trigger " + triggerText + " was not reached");
            return workload.isPresent() ? workload.get().exitCode() : 0;
          }
          recorder.start();
        }
        recorder.refused().forEach((mode, why) -> Stderr.say(mode + ": " + why));
        // Not before: a command would have inherited that.
        Recorder.goFirst();
        stopped = record(recorder, interrupts, workload, parts, pushing, failures);
      }
      attempt(failures, () -> parts.end(recording -> use(recording, pushing, failures, stopped)));
      attempt(failures, () -> pushing.finish(this::say));
    } finally {
      SystemCalls.trySetNice(nice);
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return workload.isPresent() ? workload.get().exitCode() : 0;
  }

  /** Records until it is over, and hands over all of it; when it was told to stop. */
  private long record(
      Recorder recorder,
      Interrupts interrupts,
      Optional<Workload> workload,
      PartsOnDisk parts,
      Pushing pushing,
      List<RuntimeException> failures) {
    interval = intervalNanos == UNTIL_TOLD ? 0 : 1;
    parts.begin(interval);
    HandOver handOver = new HandOver(parts::add);
    handOver.start();
    attempt(failures, () -> run(recorder, interrupts, workload, parts, handOver, pushing));
    long stopped = System.nanoTime();
    interrupts.underWay(() -> underWay(parts, stopped));
    attempt(failures, recorder::stop);
    attempt(failures, () -> handOver.put(recorder.finish(facts())));
    attempt(failures, handOver::end);
    return stopped;
  }

  private static String underWay(PartsOnDisk parts, long stopped) {
    return "writing the outputs, for %.1f s so far%s"
        .formatted(
            (System.nanoTime() - stopped) / 1e9,
            parts
                .path()
                .map(path -> "; " + path + " holds the recording, except its end")
                .orElse(""));
  }

  /** What is done with a recording besides writing it. */
  private void use(
      Recording recording, Pushing pushing, List<RuntimeException> failures, long stopped) {
    attempt(failures, () -> pushing.push(recording));
    if (verbose) {
      say("stop → written %.2f s".formatted((System.nanoTime() - stopped) / 1e9));
      Map<String, String> facts = recording.facts();
      if (facts.containsKey("debuginfod")) {
        say("debuginfod: " + facts.get("debuginfod"));
      }
      say("stacks unwound in user space: " + facts.get(Recorder.UNWOUND));
    }
    summarise(recording);
  }

  /**
   * Waits until the machine is held up; false if that has not happened until we were told to end.
   */
  private boolean await(
      Trigger trigger, Recorder recorder, Interrupts interrupts, Optional<Workload> workload) {
    say("waiting for " + triggerText + " · Ctrl-C to quit");
    try (PressureTrigger pressure = trigger.open()) {
      while (!workload.map(Workload::ended).orElse(interrupts.seen())) {
        if (pressure.await(TRIGGER_MILLIS)) {
          return true;
        }
        recorder.standBy();
      }
      return false;
    }
  }

  private void summarise(Recording recording) {
    if (!quiet) {
      new Summary(new PrintWriter(System.err, true), Colours.ofStandardError(), top)
          .print(recording);
      Rights.shortages().forEach(Stderr::say);
    }
  }

  private static void attempt(List<RuntimeException> failures, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      failures.add(e);
    }
  }

  private Optional<Workload> startCommand(Interrupts interrupts) {
    return command.isEmpty() ? Optional.empty() : Optional.of(Workload.start(command, interrupts));
  }

  /** The modes that are asked for; options may stand for others of them. */
  private List<String> wanted() {
    if (light && modes.stream().noneMatch(mode -> mode.startsWith("mem"))) {
      throw new IllegalArgumentException(
          "--light: for mode mem only; use plumb record mem --light");
    }
    if (light && isKernelMemory()) {
      throw new IllegalArgumentException("--light: not for kernel memory; leave out -k");
    }
    if (isKernelMemory()) {
      return List.of("kmem");
    }
    List<String> given = modes.isEmpty() ? List.of("cpu") : modes;
    return given.stream()
        .map(mode -> light && mode.equals("mem") ? "mem-light" : mode)
        .distinct()
        .toList();
  }

  /** {@code mem -k} is another mode; its stacks are whole. */
  private boolean isKernelMemory() {
    return kernelOnly && modes.equals(List.of("mem"));
  }

  private RecordOptions options() {
    List<String> wanted = wanted();
    if (commandGiven && command.isEmpty()) {
      throw new IllegalArgumentException("no command after --; use plumb record -- COMMAND ARGS…");
    }
    if (durationNanos == 0) {
      throw new IllegalArgumentException("-d 0: the duration must be positive, e.g. -d 10");
    }
    requireRate();
    boolean noUser = kernelOnly && !isKernelMemory();
    StackOptions stacks = new StackOptions(!userOnly || noUser, !noUser || userOnly, depth);
    Modes.require(wanted);
    boolean launches = !command.isEmpty();
    RecordOptions options =
        new RecordOptions(
            wanted,
            targetOptions.target(launches),
            hertz,
            stacks,
            new WaitOptions(minBlock, maxBlock, states, wakerStacks),
            new ProbeOptions(arguments, Filter.parse(filter)),
            new MemoryOptions(command, allocatorLibrary, allocatorNews),
            ringBytes(wanted));
    if (launches || targetOptions.namesPids()) {
      Rights.requireHostsPids(launches ? "-- COMMAND" : "a target given by pid");
    }
    return options;
  }

  /**
   * Room for a second of samples and some hundredths of stacks that have to be copied, up to 64 KB
   * each, or for a burst of waits; a power of two.
   */
  private int ringBytes(List<String> wanted) {
    if (!wanted.equals(List.of("cpu"))) {
      return 8 << 20;
    }
    long second = 400L * hertz * Cpus.online().length;
    // Of a command all is new: until its tables are made, every stack is copied.
    int most = command.isEmpty() ? 16 << 20 : 32 << 20;
    return hertz < OFTEN
        ? Math.clamp(Long.highestOneBit(second) * 2, 1 << 20, 16 << 20)
        : Math.clamp(Long.highestOneBit(second) * 16, 8 << 20, most);
  }

  private void requireRate() {
    if (hertz < 1) {
      throw new IllegalArgumentException(
          "-F " + hertz + ": the sampling frequency must be at least 1 Hz");
    }
    // Where it cannot be read, the kernel itself will say.
    int limit =
        KernelFile.read("/proc/sys/kernel/perf_event_max_sample_rate")
            .map(Integer::parseInt)
            .orElse(Integer.MAX_VALUE);
    if (hertz > limit) {
      throw new IllegalArgumentException(
          "-F %d: this kernel allows at most %d Hz; use a lower frequency, or raise the limit with `sysctl kernel.perf_event_max_sample_rate=%d`"
              .formatted(hertz, limit, hertz));
    }
  }

  private void run(
      Recorder recorder,
      Interrupts interrupts,
      Optional<Workload> workload,
      PartsOnDisk parts,
      HandOver handOver,
      Pushing pushing) {
    try (Progress progress = new Progress(recorder, durationNanos, quiet)) {
      BooleanSupplier done =
          () -> {
            progress.show();
            return workload.map(Workload::ended).orElse(interrupts.seen());
          };
      long start = System.nanoTime() - recorder.elapsedNanos();
      long end = start + Math.min(durationNanos, Long.MAX_VALUE / 2);
      long intervalEnd = start + Math.min(intervalNanos, Long.MAX_VALUE / 2);
      for (long now = System.nanoTime();
          now < end && !done.getAsBoolean();
          now = System.nanoTime()) {
        recorder.runFor(
            Math.min(partNanos(now - start), Math.min(end, intervalEnd) - now),
            () -> done.getAsBoolean() || recorder.isNearlyFull());
        long left = end - System.nanoTime();
        boolean over = left < LEAST_PART_NANOS || done.getAsBoolean();
        if (System.nanoTime() >= intervalEnd && left <= intervalNanos / 2) {
          intervalEnd = end; // what is left is too short for a result of its own
        }
        if (!done.getAsBoolean() && left > 0 && System.nanoTime() >= intervalEnd) {
          handOver.put(recorder.cut(facts()));
          handOver.run(() -> endInterval(parts, pushing));
          intervalEnd += intervalNanos;
        } else if (!over && !handOver.isBehind() && mayCut(recorder)) {
          handOver.put(recorder.cutPart(facts()));
        }
      }
    }
  }

  /** Whether a part had better be longer, so that nothing of it is cut or without a name. */
  private boolean mayCut(Recorder recorder) {
    boolean waits = namesComeLate || recorder.isBehind() && recorder.elapsedNanos() < PATIENCE;
    return !waits || recorder.isLarge();
  }

  /** Half a second at first; of a long recording it is no matter whether its end is missing. */
  private static long partNanos(long elapsed) {
    return Math.clamp(elapsed / 64, LEAST_PART_NANOS, MOST_PART_NANOS);
  }

  /** Writes what came in an interval; recording goes on. */
  private void endInterval(PartsOnDisk parts, Pushing pushing) {
    try {
      parts.end(
          recording -> {
            pushing.push(recording);
            summarise(recording);
          });
    } finally {
      parts.begin(++interval);
    }
  }

  private void say(String text) {
    if (!quiet) {
      System.err.println(SafeText.lines(text));
    }
  }

  private TreeMap<String, String> pushedLabels() {
    TreeMap<String, String> pushed = new TreeMap<>(labels);
    pushed.putIfAbsent("host", hostName());
    return pushed;
  }

  private static String hostName() {
    return KernelFile.read("/proc/sys/kernel/hostname").orElse("");
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new TreeMap<>(labels);
    facts.put("host", hostName());
    facts.put("kernel", KernelFile.read("/proc/sys/kernel/osrelease").orElse(""));
    facts.put("target", targetOptions.text(command));
    facts.put("plumb", Version.TEXT);
    return facts;
  }
}
