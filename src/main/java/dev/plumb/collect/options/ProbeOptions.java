package dev.plumb.collect.options;

import java.util.List;

/**
 * What goes for all probes of a recording.
 *
 * @param arguments the names of those that become labels
 */
public record ProbeOptions(List<String> arguments, Filter filter) {
  public static final ProbeOptions NONE = new ProbeOptions(List.of(), Filter.NONE);

  public ProbeOptions {
    arguments = List.copyOf(arguments);
  }

  /** Whether the kernel side has to read any. */
  public boolean readsArguments() {
    return !arguments.isEmpty() || !filter.tests().isEmpty();
  }
}
