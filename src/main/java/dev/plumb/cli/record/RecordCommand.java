package dev.plumb.cli.record;

import dev.plumb.cli.options.DebuginfodOptions;
import dev.plumb.cli.options.MachineFacts;
import dev.plumb.cli.options.PushOptions;
import dev.plumb.cli.options.Rights;
import dev.plumb.cli.run.HandOver;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.run.Pushing;
import dev.plumb.cli.run.RecordingLoop;
import dev.plumb.cli.run.Workload;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.Durations;
import dev.plumb.cli.text.SafeText;
import dev.plumb.cli.text.Stderr;
import dev.plumb.cli.text.Summary;
import dev.plumb.collect.ProcessPriority;
import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Records, and writes the outputs. */
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
  /** A duration without an end. */
  static final long UNTIL_TOLD = Long.MAX_VALUE;

  @Mixin MeasureOptions measure = new MeasureOptions();

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

  /** The number of the current interval; 0 without intervals. */
  private int interval;

  private List<String> command = List.of();
  private boolean commandGiven;

  /** Whether servers are asked for names at the end. */
  private boolean namesComeLate;

  /** The words after {@code --}. */
  public void command(List<String> words) {
    command = List.copyOf(words);
    commandGiven = true;
  }

  @Override
  public Integer call() throws Exception {
    requireSense();
    RecordOptions options = measure.of(command);
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
    Optional<Workload> workload;
    try (ProcessPriority priority = new ProcessPriority(); // also while the outputs are written
        PartsOnDisk parts = new PartsOnDisk(outputs, this::say);
        Pushing pushing =
            new Pushing(
                targets, PushLabels.all(new Labels(pushedLabels())), Pusher.DEFAULT_SPOOL_BYTES)) {
      long stopped;
      try (RecordingLoop loop = new RecordingLoop(options, priority, this::facts)) {
        servers.ifPresent(loop.recorder()::useServer);
        if (trigger.isEmpty()) {
          loop.start(); // before anything else: the user waits for the first sample
        }
        Interrupts interrupts = new Interrupts();
        workload = startCommand(interrupts);
        if (trigger.isPresent()) {
          if (!await(trigger.get(), loop.recorder(), interrupts, workload)) {
            say("nothing was recorded: the trigger " + triggerText + " was not reached");
            return workload.isPresent() ? workload.get().exitCode() : 0;
          }
          loop.start();
        }
        stopped = record(loop, interrupts, workload, parts, pushing, failures);
      }
      attempt(failures, () -> parts.end(recording -> use(recording, pushing, failures, stopped)));
      attempt(failures, () -> pushing.finish(this::say));
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return workload.isPresent() ? workload.get().exitCode() : 0;
  }

  /** Records until the end, and hands everything over; returns when recording stopped. */
  private long record(
      RecordingLoop loop,
      Interrupts interrupts,
      Optional<Workload> workload,
      PartsOnDisk parts,
      Pushing pushing,
      List<RuntimeException> failures) {
    interval = intervalNanos == UNTIL_TOLD ? 0 : 1;
    parts.begin(interval);
    HandOver handOver = new HandOver(parts::add);
    handOver.start();
    try (Progress progress = new Progress(loop.recorder(), durationNanos, quiet)) {
      RecordPlan plan =
          new RecordPlan(
              loop.recorder(),
              handOver,
              () -> endInterval(parts, pushing),
              () -> {
                progress.show();
                return workload.map(Workload::ended).orElse(interrupts.seen());
              },
              namesComeLate,
              durationNanos,
              intervalNanos);
      attempt(failures, () -> loop.run(plan));
    }
    long stopped = System.nanoTime();
    interrupts.underWay(() -> underWay(parts, stopped));
    attempt(failures, loop::stop);
    attempt(failures, () -> handOver.put(loop.rest()));
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

  /** Waits until tasks stall; false if the command ended or Plumb was told to stop before. */
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

  private void requireSense() {
    if (commandGiven && command.isEmpty()) {
      throw new IllegalArgumentException("no command after --; use plumb record -- COMMAND ARGS…");
    }
    if (durationNanos == 0) {
      throw new IllegalArgumentException("-d 0: the duration must be positive, e.g. -d 10");
    }
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
    pushed.putIfAbsent("host", MachineFacts.host());
    return pushed;
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new TreeMap<>(labels);
    facts.putAll(MachineFacts.all());
    facts.put("target", measure.target(command));
    return facts;
  }
}
