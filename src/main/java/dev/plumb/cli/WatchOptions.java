package dev.plumb.cli;

import dev.plumb.collect.RecordOptions;
import dev.plumb.collect.StackOptions;
import dev.plumb.collect.WaitOptions;
import dev.plumb.linux.Cpus;
import dev.plumb.linux.KernelFile;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is watched all the time. */
final class WatchOptions {
  private static final int RING_BYTES_A_CPU = 2 << 20;
  private static final int LEAST_RING_BYTES = 8 << 20;
  private static final int MOST_RING_BYTES = 16 << 20;

  @Parameters(
      arity = "0..*",
      paramLabel = "MODE",
      description = "cpu and offcpu (default), or others; see `plumb list modes`.")
  List<String> modes = List.of();

  @Mixin TargetOptions targetOptions = new TargetOptions();

  @Option(names = "-F", paramLabel = "HZ", description = "Samples a second and CPU (99).")
  int hertz = 99;

  @Option(names = "--label", paramLabel = "K=V", description = "A label of all that is recorded.")
  Map<String, String> labels = new TreeMap<>();

  RecordOptions options() {
    List<String> wanted =
        modes.isEmpty() ? List.of("cpu", "offcpu") : modes.stream().distinct().toList();
    if (hertz < 1) {
      throw new IllegalArgumentException("-F " + hertz + ": at least 1 sample a second");
    }
    return new RecordOptions(
        wanted,
        targetOptions.target(false),
        hertz,
        StackOptions.DEFAULT,
        WaitOptions.ALL_BRIEFLY,
        ringBytes());
  }

  /**
   * Room for a burst of waits, of which there are more where there are more CPUs; a power of two.
   */
  private static int ringBytes() {
    long wanted = Long.highestOneBit((long) RING_BYTES_A_CPU * Cpus.online().length);
    return Math.clamp(wanted, LEAST_RING_BYTES, MOST_RING_BYTES);
  }

  /** What is known of each recording. */
  Map<String, String> facts() {
    Map<String, String> facts = new TreeMap<>();
    facts.put("host", host());
    facts.put("kernel", KernelFile.read("/proc/sys/kernel/osrelease").orElse(""));
    facts.put("plumb", Plumb.VERSION);
    return facts;
  }

  TreeMap<String, String> allLabels() {
    TreeMap<String, String> all = new TreeMap<>(labels);
    all.putIfAbsent("host", host());
    return all;
  }

  static String host() {
    return KernelFile.read("/proc/sys/kernel/hostname").orElse("localhost");
  }
}
