package dev.plumb.cli;

import dev.plumb.collect.Modes;
import dev.plumb.export.Format;
import dev.plumb.export.FormatException;
import dev.plumb.export.Formats;
import dev.plumb.export.OutputFile;
import dev.plumb.export.WriteOptions;
import dev.plumb.profile.Recording;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** Where a recording goes, and what of it. */
final class OutputOptions {
  private static final List<String> DEFAULT = List.of("plumb.html");

  @Option(names = "-o", paramLabel = "FILE", description = "Output; the ending says which kind.")
  List<String> outputs = DEFAULT;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "What -o - writes: folded (default), pprof, txt, perf-script, svg, html, plumb.")
  String standardOutputFormat = "folded";

  @Option(
      names = "--value",
      paramLabel = "NAME",
      description = "Another column of the mode, e.g. samples, waits.")
  String value = "";

  /** Whether it goes elsewhere: then nothing is written that was not asked for. */
  void insteadOfDefault(boolean elsewhere) {
    if (elsewhere && outputs == DEFAULT) {
      outputs = List.of();
    }
  }

  /** Fails before anything is recorded if an output could not be written. */
  void require(List<String> modes) {
    outputs.forEach(output -> requireWritable(output, modes.size()));
    for (String mode : modes) {
      List<String> values = Modes.of(mode).values(mode);
      if (!value.isEmpty() && !values.contains(value)) {
        throw new IllegalArgumentException(
            "--value %s: mode %s has %s".formatted(value, mode, String.join(", ", values)));
      }
    }
  }

  private void requireWritable(String output, int modes) {
    boolean file = !output.equals(OutputFile.STANDARD_OUTPUT);
    if (file) {
      OutputFile.requireWritable(Path.of(output));
    }
    try {
      if (!format(output).allModes() && !file && modes > 1) {
        throw new IllegalArgumentException(
            "-o - takes one mode in this format; give -o FILE, or --format plumb");
      }
    } catch (FormatException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private Format format(String output) {
    return output.equals(OutputFile.STANDARD_OUTPUT)
        ? Formats.byName(standardOutputFormat)
        : Formats.byEnding(Path.of(output).getFileName().toString());
  }

  /**
   * Writes every output that can be written, whatever happens to the others.
   *
   * @param interval its number becomes part of the files' names; 0 for none
   */
  void write(Recording recording, int interval, Consumer<String> say) {
    WriteOptions options = WriteOptions.DEFAULT.withValue(value);
    List<RuntimeException> failures = new ArrayList<>();
    for (String output : outputs) {
      try {
        if (output.equals(OutputFile.STANDARD_OUTPUT)) {
          OutputFile.write(
              output, System.out, out -> Formats.write(recording, out, format(output), options));
        } else {
          for (Path file : Formats.save(recording, numbered(output, interval), options)) {
            say.accept("wrote " + file);
          }
        }
      } catch (RuntimeException e) {
        failures.add(e);
      } catch (OutOfMemoryError e) {
        failures.add(
            new IllegalStateException(output + ": out of memory; give it more (PLUMB_HEAP=1g)", e));
      }
    }
    if (!failures.isEmpty()) {
      failures.stream().skip(1).forEach(e -> Stderr.say(e.getMessage()));
      throw failures.getFirst();
    }
  }

  /** {@code plumb.html} of the second interval is {@code plumb.2.html}. */
  private static Path numbered(String output, int interval) {
    Path path = Path.of(output);
    if (interval == 0) {
      return path;
    }
    String name = path.getFileName().toString();
    int dot = name.indexOf('.', 1);
    return path.resolveSibling(name.substring(0, dot) + "." + interval + name.substring(dot));
  }
}
