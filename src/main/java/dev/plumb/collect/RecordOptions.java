package dev.plumb.collect;

import java.util.List;

/**
 * What to record.
 *
 * @param modes those of {@link Modes}
 * @param ringBytes the ring buffer's size, a power of two
 */
public record RecordOptions(
    List<String> modes,
    Target target,
    int hertz,
    StackOptions stacks,
    WaitOptions waits,
    int ringBytes) {
  public RecordOptions {
    modes = List.copyOf(modes);
    modes.forEach(Modes::of);
  }
}
