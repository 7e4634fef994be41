package dev.plumb.cli.record;

import dev.plumb.cli.options.Rights;
import dev.plumb.cli.options.TargetOptions;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.Durations;
import dev.plumb.cli.text.Keyboard;
import dev.plumb.cli.text.Stderr;
import dev.plumb.cli.text.Terminal;
import dev.plumb.collect.Modes;
import dev.plumb.collect.Recorder;
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

/** Shows what costs most right now, again and again. */
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

  @Option(
      names = "-F",
      paramLabel = "HZ",
      description = "Sampling frequency per CPU, in Hz (default 99).")
  int hertz = 99;

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

  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Value to show instead of the mode's default, e.g. waits, calls.")
  String value = "";

  @Option(names = "--batch", description = "Print plain text, one update after another; no keys.")
  boolean batch;

  @Option(names = "--verbose", description = "Print a stack trace with errors.")
  boolean verbose;

  @Override
  public Integer call() {
    List<String> wanted = modes.isEmpty() ? List.of("cpu") : modes.stream().distinct().toList();
    requireSense(wanted);
    Modes.require(wanted);
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
        Recorder recorder = new Recorder(options)) {
      recorder.start();
      recorder.refused().forEach((mode, why) -> Stderr.say(mode + ": " + why));
      Recorder.goFirst();
      run(recorder, interrupts, keyboard, view, live);
    }
    return 0;
  }

  private void requireSense(List<String> wanted) {
    if (intervalNanos < KEY_NANOS) {
      throw new IllegalArgumentException("-i: the interval must be at least 0.1 s");
    }
    if (hertz < 1) {
      throw new IllegalArgumentException(
          "-F " + hertz + ": the sampling frequency must be at least 1 Hz");
    }
    for (String mode : wanted) {
      List<String> values = Modes.of(mode).values(mode);
      if (!value.isEmpty() && !values.contains(value)) {
        throw new IllegalArgumentException(
            "--value %s: the values of mode %s are %s"
                .formatted(value, mode, String.join(", ", values)));
      }
    }
  }

  private void run(
      Recorder recorder, Interrupts interrupts, Keyboard keyboard, TopView view, boolean live) {
    long end = System.nanoTime() + Math.min(durationNanos, Long.MAX_VALUE / 2);
    boolean quit = false;
    while (!quit && !interrupts.seen() && System.nanoTime() < end) {
      long next = Math.min(System.nanoTime() + intervalNanos, end);
      while (!quit && !interrupts.seen() && System.nanoTime() < next) {
        recorder.runFor(Math.min(KEY_NANOS, next - System.nanoTime()), interrupts::seen);
        for (int key = keyboard.read(); key >= 0; key = keyboard.read()) {
          quit |= key == 'q';
          if (view.press(key)) {
            view.show(live, keyboard);
          }
        }
      }
      if (!quit) {
        try (Recording recording = recorder.cut(Map.of())) {
          view.add(recording);
        }
        view.show(live, keyboard);
      }
    }
  }
}
