package dev.plumb.cli.options;

import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The format of an output file. */
public final class FormatOption {
  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "Output format; overrides the file extension: plumb, html, svg, pprof, folded, perf-script, speedscope, otlp or txt.")
  private Optional<String> name = Optional.empty();

  public boolean isGiven() {
    return name.isPresent();
  }

  /** The format to write a file in. */
  public Format of(String file) {
    return name.map(Formats::byName).orElseGet(() -> Formats.byEnding(file));
  }
}
