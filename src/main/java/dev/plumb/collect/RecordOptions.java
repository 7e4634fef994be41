package dev.plumb.collect;

import java.util.List;

/**
 * What to record.
 *
 * @param modes {@code cpu}, {@code offcpu}, {@code wall}
 * @param ringBytes the ring buffer's size, a power of two
 */
public record RecordOptions(
    List<String> modes,
    Target target,
    int hertz,
    StackOptions stacks,
    WaitOptions waits,
    int ringBytes) {
  /** The modes there are. */
  public static final List<String> MODES = List.of("cpu", "offcpu", "wall");

  public RecordOptions {
    modes = List.copyOf(modes);
    for (String mode : modes) {
      if (!MODES.contains(mode)) {
        throw new IllegalArgumentException(
            "unknown mode '" + mode + "'; use " + String.join(", ", MODES));
      }
    }
  }
}
