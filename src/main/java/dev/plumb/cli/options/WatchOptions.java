package dev.plumb.cli.options;

import dev.plumb.collect.Modes;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.linux.kernel.Cpus;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code serve} and {@code agent} record. */
public final class WatchOptions {
  private static final int RING_BYTES_A_CPU = 2 << 20;
  private static final int LEAST_RING_BYTES = 8 << 20;
  private static final int MOST_RING_BYTES = 16 << 20;

  @Parameters(
      arity = "0..*",
      paramLabel = "MODE",
      description = "Modes to record (default: cpu offcpu); see `plumb list modes`.")
  public List<String> modes = List.of();

  @Mixin public TargetOptions targetOptions = new TargetOptions();

  @Mixin public FrequencyOption frequency = new FrequencyOption();

  @Option(
      names = "--label",
      paramLabel = "K=V",
      description = "Label to add to everything that is recorded.")
  public Map<String, String> labels = new TreeMap<>();

  public RecordOptions options() {
    List<String> wanted =
        modes.isEmpty() ? List.of("cpu", "offcpu") : modes.stream().distinct().toList();
    int hertz = frequency.valid();
    Modes.require(wanted);
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

  public TreeMap<String, String> allLabels() {
    TreeMap<String, String> all = new TreeMap<>(labels);
    all.putIfAbsent("host", MachineFacts.host());
    return all;
  }
}
