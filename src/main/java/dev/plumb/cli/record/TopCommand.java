package dev.plumb.cli.record;

import dev.plumb.cli.options.FrequencyOption;
import dev.plumb.cli.options.Rights;
import dev.plumb.cli.options.TargetOptions;
import dev.plumb.cli.options.ValueOption;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.run.RecordingLoop;
import dev.plumb.cli.run.RecordingLoop.Cut;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.Durations;
import dev.plumb.cli.text.Keyboard;
import dev.plumb.cli.text.Terminal;
import dev.plumb.collect.ProcessPriority;
import dev.plumb.collect.options.MemoryOptions;
import dev.plumb.collect.options.ProbeOptions;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.profile.Recording;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows live what costs most. */
@Command(
    name = "top",
    addMethodSubcommands = false, // to look for them takes time
    description = "Shows live which processes and functions cost most, in any mode.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    synopsisHeading = "Usage: plumb top [MODE…] [OPTIONS]%n",
    customSynopsis = "",
    footer = {
      "",
      "Keys: q quit · p processes or functions first · s sort by self or total · m next mode · space pause",
      "",
      "Examples:",
      "  plumb top                      where CPU time goes, every two seconds",
      "  plumb top offcpu -p 1234       what a process waits for",
      "  plumb top io -i 5              who reads and writes",
      "  plumb top --batch -d 10        plain text, to a pipe or a file",
    })
public final class TopCommand implements Callable<Integer> {
  private static final int RING_BYTES = 8 << 20;
  private static final long KEY_NANOS = 100_000_000;

  @Parameters(
      arity = "0..*",
      paramLabel = "MODE",
      description = "cpu (default) or other modes; see `plumb list modes`.")
  List<String> modes = List.of();

  @Mixin TargetOptions targetOptions = new TargetOptions();

  @Mixin FrequencyOption frequency = new FrequencyOption();

  @Option(
      names = "-i",
      paramLabel = "SECONDS",
      converter = Durations.class,
      description = "Time between updates (default 2).")
  long intervalNanos = 2_000_000_000;

  @Option(
      names = "-d",
      paramLabel = "SECONDS",
      converter = Durations.class,
      description = "Duration; by default until q or Ctrl-C.")
  long durationNanos = RecordCommand.UNTIL_TOLD;

  @Option(names = "-n", paramLabel = "ROWS", description = "Rows per table (default 10).")
  int rows = 10;

  @Mixin ValueOption valueOption = new ValueOption();

  @Option(names = "--batch", description = "Print plain text, one update after another; no keys.")
  boolean batch;

  @Option(names = "--verbose", description = "Print a stack trace with errors.")
  boolean verbose;

  @Override
  public Integer call() {
    List<String> wanted = modes.isEmpty() ? List.of("cpu") : modes.stream().distinct().toList();
    if (intervalNanos < KEY_NANOS) {
      throw new IllegalArgumentException("-i: the interval must be at least 0.1 s");
    }
    int hertz = frequency.valid();
    String value = valueOption.of(wanted);
    RecordOptions options =
        new RecordOptions(
            wanted,
            targetOptions.target(false),
            hertz,
            StackOptions.DEFAULT,
            WaitOptions.ALL,
            ProbeOptions.NONE,
            MemoryOptions.NONE,
            RING_BYTES);
    Rights.require();
    if (targetOptions.namesPids()) {
      Rights.requireHostsPids("a target given by pid");
    }
    Interrupts interrupts = new Interrupts();
    boolean live = !batch && Terminal.isStandardOutput();
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    TopView view = new TopView(out, Colours.ofStandardOutput(), rows, value);
    try (Keyboard keyboard = live ? Keyboard.open() : Keyboard.none();
        ProcessPriority priority = new ProcessPriority();
        RecordingLoop loop = new RecordingLoop(options, priority, Map::of)) {
      loop.start();
      loop.run(new Looks(interrupts, keyboard, view, live));
    }
    return 0;
  }

  /** A look per interval; keys are read several times meanwhile. */
  private final class Looks implements RecordingLoop.Plan {
    private final Interrupts interrupts;
    private final Keyboard keyboard;
    private final TopView view;
    private final boolean live;
    private final long end = System.nanoTime() + Math.min(durationNanos, Long.MAX_VALUE / 2);
    private long next = nextLook();
    private boolean quit;

    Looks(Interrupts interrupts, Keyboard keyboard, TopView view, boolean live) {
      this.interrupts = interrupts;
      this.keyboard = keyboard;
      this.view = view;
      this.live = live;
    }

    private long nextLook() {
      return Math.min(System.nanoTime() + intervalNanos, end);
    }

    @Override
    public boolean isOver() {
      return quit || interrupts.seen() || System.nanoTime() >= end;
    }

    @Override
    public long stepNanos() {
      return Math.min(KEY_NANOS, next - System.nanoTime());
    }

    @Override
    public boolean cutsWhenFull() {
      return false;
    }

    @Override
    public Cut next(boolean isOver) {
      for (int key = keyboard.read(); key >= 0; key = keyboard.read()) {
        quit |= key == 'q';
        if (view.press(key)) {
          view.show(live);
        }
      }
      return !quit && (isOver || System.nanoTime() >= next) ? Cut.RESULT : Cut.NOTHING;
    }

    @Override
    public void take(Recording recording, Cut cut) {
      try (recording) {
        view.add(recording);
      }
      view.show(live);
      next = nextLook();
    }
  }
}
