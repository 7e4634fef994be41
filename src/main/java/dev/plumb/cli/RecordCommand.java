package dev.plumb.cli;

import dev.plumb.collect.Modes;
import dev.plumb.collect.ProbeOptions;
import dev.plumb.collect.RecordOptions;
import dev.plumb.collect.Recorder;
import dev.plumb.collect.StackOptions;
import dev.plumb.collect.WaitOptions;
import dev.plumb.collect.probe.Filter;
import dev.plumb.export.Format;
import dev.plumb.export.FormatException;
import dev.plumb.export.Formats;
import dev.plumb.export.OutputFile;
import dev.plumb.export.WriteOptions;
import dev.plumb.linux.Cpus;
import dev.plumb.linux.KernelFile;
import dev.plumb.linux.SystemCalls;
import dev.plumb.profile.Recording;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.io.PrintWriter;
import java.nio.file.Path;
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
    description = "Records where time goes, and writes it as a flame graph or another format.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    synopsisHeading = "Usage: plumb record [MODE…] [OPTIONS] [-- COMMAND ARGS…]%n",
    customSynopsis = "",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine; with a command, the command's own (128 + n if signal n ended it)",
      "1:failed",
      "2:wrong usage",
      "3:not permitted, or not possible on this kernel",
      "126:the command cannot be run",
      "127:the command is not there",
    },
    footer = {
      "",
      "Outputs by ending: .html .svg .pb.gz (pprof) .folded .txt (Stack_Analyzer) .perf (perf",
      "script) .plumb (everything, timestamps included). -o may be given several times; - is",
      "standard output.",
      "",
      "Probes: event:CATEGORY:NAME syscall:NAME uprobe:LIB:FUNCTION[+OFFSET] usdt:LIB:PROVIDER:NAME",
      "kprobe:FUNCTION fentry:FUNCTION sw:NAME hw:NAME count; syscall: uretprobe: kretprobe: fexit:",
      "also take the time until it returns (--value time). FUNCTION may be a pattern, as mem*.",
      "",
      "Examples:",
      "  plumb record -d 10                       the whole machine, on-CPU → plumb.html",
      "  plumb record offcpu -p 1234 -d 5         what a process waits for",
      "  plumb record wall -o w.html -- ./server  running and waiting, from its first instruction",
      "  plumb record -F 999 -o a.pb.gz -o a.folded -d 30",
      "  plumb record offcpu --min-block 10ms --state D",
      "  plumb record uretprobe:libc:malloc --value time -p 1234 -d 5",
      "  plumb record syscall:openat --args filename -d 5",
    })
final class RecordCommand implements Callable<Integer> {
  /** As a duration: no end of its own. */
  static final long UNTIL_TOLD = Long.MAX_VALUE;

  @Parameters(
      arity = "0..*",
      paramLabel = "MODE",
      description =
          "cpu (default), offcpu, wall, runq, lock, mem, io, block, readahead, faults, or a probe (below); several at once. See `plumb list modes`.")
  List<String> modes = List.of();

  @Mixin TargetOptions targetOptions = new TargetOptions();

  @Option(names = "-F", paramLabel = "HZ", description = "Samples a second and CPU (99).")
  int hertz = 99;

  @Option(
      names = "-d",
      paramLabel = "SECONDS",
      converter = Durations.class,
      description = "How long; else until Ctrl-C or until the command ends.")
  long durationNanos = UNTIL_TOLD;

  @Option(
      names = "-i",
      paramLabel = "SECONDS",
      converter = Durations.class,
      description = "A result each interval: plumb.1.html, plumb.2.html, …")
  long intervalNanos = UNTIL_TOLD;

  @Option(names = "-u", description = "User stacks only.")
  boolean userOnly;

  @Option(names = "-k", description = "Kernel stacks only.")
  boolean kernelOnly;

  @Option(names = "--depth", paramLabel = "N", description = "Most user frames a stack (1024).")
  int depth = 1024;

  @Option(
      names = "--min-block",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu: shorter waits do not count.")
  long minBlock;

  @Option(
      names = "--max-block",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu: longer waits do not count.")
  long maxBlock = Long.MAX_VALUE;

  @Option(
      names = "--waker-stacks",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu: take the waker's stack for waits from this long on (50us).")
  long wakerStacks = WaitOptions.DEFAULT_WAKER_STACK_NANOS;

  @Option(
      names = "--state",
      paramLabel = "LETTERS",
      description =
          "offcpu: only these states, of S sleep, D disk, T stopped, I idle, R preempted.")
  String states = "";

  @Option(
      names = "--args",
      split = ",",
      paramLabel = "NAMES",
      description =
          "probes: arguments that become labels: a tracepoint's fields, arg0 arg1 … of functions and USDT probes (arg0:str if it points to text), or all.")
  List<String> arguments = List.of();

  @Option(
      names = "--filter",
      paramLabel = "EXPR",
      description = "probes: only events whose arguments match, e.g. 'count > 4096 && fd == 3'.")
  String filter = "";

  @Option(names = "-o", paramLabel = "FILE", description = "Output; the ending says which kind.")
  List<String> outputs = List.of("plumb.html");

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "What -o - writes: folded (default), pprof, txt, perf-script, svg, html, plumb.")
  String standardOutputFormat = "folded";

  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Another column of the mode, e.g. samples, waits.")
  String value = "";

  @Mixin DebuginfodOptions debuginfodOptions = new DebuginfodOptions();

  @Option(names = "--label", paramLabel = "K=V", description = "Noted with the recording.")
  Map<String, String> labels = new TreeMap<>();

  @Option(names = "-n", paramLabel = "TOP", description = "Rows of the summary's table (10).")
  int top = 10;

  @Option(names = "--quiet", description = "No progress and no summary.")
  boolean quiet;

  @Option(names = "--verbose", description = "Say more; with failures, where they come from.")
  boolean verbose;

  /** Of the thread that reads what is recorded. */
  private static final int READERS_NICE = -10;

  private int interval;
  private List<String> command = List.of();
  private boolean commandGiven;

  /** What stood behind {@code --}. */
  void command(List<String> words) {
    command = List.copyOf(words);
    commandGiven = true;
  }

  @Override
  public Integer call() throws Exception {
    RecordOptions options = options();
    outputs.forEach(this::requireWritable);
    Optional<Debuginfod> servers = debuginfodOptions.servers();
    Rights.require();
    Interrupts interrupts = new Interrupts();
    Optional<Workload> workload;
    int nice = SystemCalls.niceValue();
    try (Recorder recorder = new Recorder(options)) {
      servers.ifPresent(recorder::useServer);
      recorder.start();
      recorder.refused().forEach((mode, why) -> System.err.println("plumb: " + mode + ": " + why));
      workload = startCommand(interrupts);
      // What is watched must not keep us from reading; a command would have inherited that.
      SystemCalls.trySetNice(READERS_NICE);
      // Whatever fails from here on, what was recorded is written first.
      List<RuntimeException> failures = new ArrayList<>();
      attempt(failures, () -> run(recorder, interrupts, workload));
      long stopped = System.nanoTime();
      attempt(failures, recorder::stop);
      interval++;
      try (Recording recording = recorder.finish(facts())) {
        attempt(failures, () -> write(recording));
        if (verbose) {
          say("stop → written %.2f s".formatted((System.nanoTime() - stopped) / 1e9));
          servers.ifPresent(s -> say("debuginfod: " + s.summary()));
          say("stacks unwound in user space: " + recording.facts().get(Recorder.UNWOUND));
        }
        summarise(recording);
      }
      if (!failures.isEmpty()) {
        throw failures.getFirst();
      }
    } finally {
      SystemCalls.trySetNice(nice);
    }
    return workload.isPresent() ? workload.get().exitCode() : 0;
  }

  private void summarise(Recording recording) {
    if (!quiet) {
      new Summary(new PrintWriter(System.err, true), Colours.ofStandardError(), top)
          .print(recording);
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

  private RecordOptions options() {
    List<String> wanted = modes.isEmpty() ? List.of("cpu") : modes.stream().distinct().toList();
    if (commandGiven && command.isEmpty()) {
      throw new IllegalArgumentException(
          "no command behind --; write plumb record -- COMMAND ARGS…");
    }
    if (durationNanos == 0) {
      throw new IllegalArgumentException("-d 0: record for longer than nothing, e.g. -d 10");
    }
    requireRate();
    StackOptions stacks = new StackOptions(!userOnly || kernelOnly, !kernelOnly || userOnly, depth);
    boolean launches = !command.isEmpty();
    RecordOptions options =
        new RecordOptions(
            wanted,
            targetOptions.target(launches),
            hertz,
            stacks,
            new WaitOptions(minBlock, maxBlock, states, wakerStacks),
            new ProbeOptions(arguments, Filter.parse(filter)),
            ringBytes(wanted));
    requireValue(options.modes());
    if (launches || targetOptions.namesPids()) {
      Rights.requireHostsPids(launches ? "-- COMMAND" : "a target by its number");
    }
    return options;
  }

  /**
   * Room for a second of samples and some tenths of stacks that have to be copied, or for a burst
   * of waits; a power of two.
   */
  private int ringBytes(List<String> wanted) {
    if (!wanted.equals(List.of("cpu"))) {
      return 8 << 20;
    }
    long second = 400L * hertz * Cpus.online().length;
    return Math.clamp(Long.highestOneBit(second) * 2, 1 << 20, 16 << 20);
  }

  /** Else it would only turn out when there is a recording to write. */
  private void requireValue(List<String> wanted) {
    for (String mode : wanted) {
      List<String> values = Modes.of(mode).values(mode);
      if (!value.isEmpty() && !values.contains(value)) {
        throw new IllegalArgumentException(
            "--value %s: mode %s has %s".formatted(value, mode, String.join(", ", values)));
      }
    }
  }

  private void requireRate() {
    if (hertz < 1) {
      throw new IllegalArgumentException("-F " + hertz + ": at least 1 sample a second");
    }
    // Where it cannot be read, the kernel itself will say.
    int limit =
        KernelFile.read("/proc/sys/kernel/perf_event_max_sample_rate")
            .map(Integer::parseInt)
            .orElse(Integer.MAX_VALUE);
    if (hertz > limit) {
      throw new IllegalArgumentException(
          "-F %d: this kernel takes at most %d samples a second; ask for fewer, or raise it with `sysctl kernel.perf_event_max_sample_rate=%d`"
              .formatted(hertz, limit, hertz));
    }
  }

  private void run(Recorder recorder, Interrupts interrupts, Optional<Workload> workload) {
    try (Progress progress = new Progress(recorder, durationNanos, quiet)) {
      BooleanSupplier done =
          () -> {
            progress.show();
            return workload.map(Workload::ended).orElse(interrupts.seen());
          };
      long end = System.nanoTime() + Math.min(durationNanos, Long.MAX_VALUE / 2);
      while (end - System.nanoTime() > intervalNanos && !done.getAsBoolean()) {
        recorder.runFor(intervalNanos, done);
        if (!done.getAsBoolean()) {
          writeInterval(recorder);
        }
      }
      recorder.runFor(end - System.nanoTime(), done);
    }
  }

  /** What came since the last time; recording goes on. */
  private void writeInterval(Recorder recorder) {
    try (Recording recording = recorder.cut(facts())) {
      interval++;
      write(recording);
      summarise(recording);
    }
  }

  /** An output's name, with the number of the interval if there are several. */
  private String numbered(String output) {
    if (intervalNanos == UNTIL_TOLD || output.equals(OutputFile.STANDARD_OUTPUT)) {
      return output;
    }
    Path path = Path.of(output);
    String name = path.getFileName().toString();
    int dot = name.indexOf('.', 1);
    return path.resolveSibling(name.substring(0, dot) + "." + interval + name.substring(dot))
        .toString();
  }

  /** Writes every output that can be written, whatever happens to the others. */
  private void write(Recording recording) {
    WriteOptions options = WriteOptions.DEFAULT.withValue(value);
    List<RuntimeException> failures = new ArrayList<>();
    for (String output : outputs) {
      try {
        if (output.equals(OutputFile.STANDARD_OUTPUT)) {
          OutputFile.write(
              output, System.out, out -> Formats.write(recording, out, format(output), options));
        } else {
          for (Path file : Formats.save(recording, Path.of(numbered(output)), options)) {
            say("wrote " + file);
          }
        }
      } catch (RuntimeException e) {
        failures.add(e);
      } catch (OutOfMemoryError e) {
        failures.add(
            new IllegalStateException(output + ": out of memory; give it more (PLUMB_HEAP=1g)", e));
      }
    }
    if (!failures.isEmpty()) {
      failures.stream().skip(1).forEach(e -> System.err.println("plumb: " + e.getMessage()));
      throw failures.getFirst();
    }
  }

  private Format format(String output) {
    return output.equals(OutputFile.STANDARD_OUTPUT)
        ? Formats.byName(standardOutputFormat)
        : Formats.byEnding(Path.of(output).getFileName().toString());
  }

  /** Fails before anything is recorded if an output could not be written. */
  private void requireWritable(String output) {
    boolean file = !output.equals(OutputFile.STANDARD_OUTPUT);
    if (file) {
      OutputFile.requireWritable(Path.of(output));
    }
    try {
      if (!format(output).allModes() && !file && modes.stream().distinct().count() > 1) {
        throw new IllegalArgumentException(
            "-o - takes one mode in this format; give -o FILE, or --format plumb");
      }
    } catch (FormatException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private void say(String text) {
    if (!quiet) {
      System.err.println(text);
    }
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new TreeMap<>(labels);
    facts.put("host", KernelFile.read("/proc/sys/kernel/hostname").orElse(""));
    facts.put("kernel", KernelFile.read("/proc/sys/kernel/osrelease").orElse(""));
    facts.put("target", targetOptions.text(command));
    facts.put("plumb", Plumb.VERSION);
    return facts;
  }
}
