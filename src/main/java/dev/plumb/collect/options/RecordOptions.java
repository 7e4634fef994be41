package dev.plumb.collect.options;

import java.util.List;

/**
 * What to record.
 *
 * @param modes those of {@code Modes}
 * @param probes for the modes that are probes
 * @param memory for the mode that looks at allocators
 * @param ringBytes the ring buffer's size, a power of two
 */
public record RecordOptions(
    List<String> modes,
    Target target,
    int hertz,
    StackOptions stacks,
    WaitOptions waits,
    ProbeOptions probes,
    MemoryOptions memory,
    int ringBytes) {
  public RecordOptions {
    modes = List.copyOf(modes);
  }

  /** Without anything for probes and allocators. */
  public RecordOptions(
      List<String> modes,
      Target target,
      int hertz,
      StackOptions stacks,
      WaitOptions waits,
      int ringBytes) {
    this(modes, target, hertz, stacks, waits, ProbeOptions.NONE, MemoryOptions.NONE, ringBytes);
  }
}
