package dev.plumb.cli.options;

import dev.plumb.collect.Modes;
import java.util.List;
import picocli.CommandLine.Option;

/** Which value of a mode is shown while it is recorded. */
public final class ValueOption {
  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Value to show instead of the mode's default, e.g. samples, waits.")
  private String value = "";

  /** The name, for modes that must have such a value; empty for the default. */
  public String of(List<String> modes) {
    for (String mode : modes) {
      List<String> values = Modes.of(mode).values(mode);
      if (!value.isEmpty() && !values.contains(value)) {
        throw new IllegalArgumentException(
            "--value %s: the values of mode %s are %s"
                .formatted(value, mode, String.join(", ", values)));
      }
    }
    return value;
  }
}
