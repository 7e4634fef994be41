package dev.plumb.cli.record;

import dev.plumb.cli.options.FrequencyOption;
import dev.plumb.cli.options.Rights;
import dev.plumb.cli.options.TargetOptions;
import dev.plumb.cli.text.Durations;
import dev.plumb.collect.Modes;
import dev.plumb.collect.options.Filter;
import dev.plumb.collect.options.MemoryOptions;
import dev.plumb.collect.options.ProbeOptions;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.kernel.KernelFile;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code record} measures: modes, targets, and what belongs to some modes only. */
final class MeasureOptions {
  /** From this frequency on, stacks that have to be copied would fill a small ring buffer. */
  private static final int OFTEN = 500;

  @Parameters(
      arity = "0..*",
      paramLabel = "MODE",
      description =
          "cpu (default), offcpu, wall, runq, load, lock, mem, mem-light, kmem, io, block, cache, readahead, faults, forks, or a probe (below). Several may be given. See `plumb list modes`.")
  private List<String> modes = List.of();

  @Mixin private TargetOptions targets = new TargetOptions();

  @Mixin private FrequencyOption frequency = new FrequencyOption();

  @Option(names = "-u", description = "User stacks only.")
  private boolean userOnly;

  @Option(names = "-k", description = "Kernel stacks only. With mem: the kernel's memory (kmem).")
  private boolean kernelOnly;

  @Option(
      names = "--depth",
      paramLabel = "N",
      description = "Maximum number of user frames per stack (default 1024).")
  private int depth = 1024;

  @Option(
      names = "--min-block",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu, wall, lock: ignore shorter waits.")
  private long minBlock;

  @Option(
      names = "--max-block",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "offcpu, wall, lock: ignore longer waits.")
  private long maxBlock = Long.MAX_VALUE;

  @Option(
      names = "--waker-stacks",
      paramLabel = "TIME",
      converter = Durations.class,
      description =
          "offcpu, wall: record the waker's stack for waits of at least this long (default 50us).")
  private long wakerStacks = WaitOptions.DEFAULT_WAKER_STACK_NANOS;

  @Option(
      names = "--state",
      paramLabel = "LETTERS",
      description =
          "offcpu, wall: only these states: S sleep, D disk sleep, T stopped, I idle, R preempted.")
  private String states = "";

  @Option(
      names = "--args",
      split = ",",
      paramLabel = "NAMES",
      description =
          "probes: arguments to record as labels: fields of tracepoints, arg0 arg1 … of functions and USDT probes (arg0:str if it points to a string), or all.")
  private List<String> arguments = List.of();

  @Option(
      names = "--filter",
      paramLabel = "EXPR",
      description = "probes: only events whose arguments match, e.g. 'count > 4096 && fd == 3'.")
  private String filter = "";

  @Option(
      names = "--alloc-lib",
      paramLabel = "LIB",
      description =
          "mem: a library with its own allocator, by its path or a part of its file name.")
  private String allocatorLibrary = "";

  @Option(
      names = "--alloc-new",
      description =
          "mem: also measure what operator new of jemalloc, tcmalloc and the like has in use. If it throws bad_alloc meanwhile, the program is terminated.")
  private boolean allocatorNews;

  @Option(
      names = "--light",
      description =
          "mem: at low cost, for production: estimate who allocates, from short windows. Memory in use is not measured.")
  private boolean light;

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

  /**
   * What to record; fails if it is not possible.
   *
   * @param command that is going to be recorded; empty for none
   */
  RecordOptions of(List<String> command) {
    List<String> wanted = wanted();
    requireFrequency();
    boolean noUser = kernelOnly && !isKernelMemory();
    StackOptions stacks = new StackOptions(!userOnly || noUser, !noUser || userOnly, depth);
    Modes.require(wanted);
    boolean launches = !command.isEmpty();
    RecordOptions options =
        new RecordOptions(
            wanted,
            targets.target(launches),
            frequency.valid(),
            stacks,
            new WaitOptions(minBlock, maxBlock, states, wakerStacks),
            new ProbeOptions(arguments, Filter.parse(filter)),
            new MemoryOptions(command, allocatorLibrary, allocatorNews),
            ringBytes(wanted, launches));
    if (launches || targets.namesPids()) {
      Rights.requireHostsPids(launches ? "-- COMMAND" : "a target given by pid");
    }
    return options;
  }

  /**
   * Room for a second of samples and some hundredths of stacks that have to be copied, up to 64 KB
   * each, or for a burst of waits; a power of two.
   */
  private int ringBytes(List<String> wanted, boolean launches) {
    if (!wanted.equals(List.of("cpu"))) {
      return 8 << 20;
    }
    int hertz = frequency.valid();
    long second = 400L * hertz * Cpus.online().length;
    // Of a command all is new: until its tables are made, every stack is copied.
    int most = launches ? 32 << 20 : 16 << 20;
    return hertz < OFTEN
        ? Math.clamp(Long.highestOneBit(second) * 2, 1 << 20, 16 << 20)
        : Math.clamp(Long.highestOneBit(second) * 16, 8 << 20, most);
  }

  private void requireFrequency() {
    int hertz = frequency.valid();
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

  /** The target in words. */
  String target(List<String> command) {
    return targets.text(command);
  }
}
