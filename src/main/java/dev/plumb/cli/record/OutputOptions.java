package dev.plumb.cli.record;

import dev.plumb.cli.options.ValueOption;
import dev.plumb.cli.text.Stderr;
import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.export.file.OutputFile;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Recording;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The outputs of a recording. */
final class OutputOptions {
  private static final String PLUMB_ENDING = ".plumb";
  private static final List<String> DEFAULT = List.of("plumb.html");

  @Option(
      names = "-o",
      paramLabel = "FILE",
      description = "Output file; its extension selects the format (default plumb.html).")
  List<String> outputs = DEFAULT;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "Format of -o -: folded (default), pprof, txt, perf-script, svg, html, speedscope, otlp or plumb.")
  String standardOutputFormat = "folded";

  @Mixin private ValueOption valueOption = new ValueOption();

  private String value = "";

  /** If the recording goes elsewhere, only what {@code -o} names is written. */
  void insteadOfDefault(boolean elsewhere) {
    if (elsewhere && outputs == DEFAULT) {
      outputs = List.of();
    }
  }

  /** Fails before anything is recorded if an output could not be written. */
  void require(List<String> modes) {
    outputs.forEach(output -> requireWritable(output, modes.size()));
    value = valueOption.of(modes);
  }

  private void requireWritable(String output, int modes) {
    boolean file = !output.equals(OutputFile.STANDARD_OUTPUT);
    if (file) {
      OutputFile.requireWritable(Path.of(output));
    }
    try {
      if (!format(output).allModes() && !file && modes > 1) {
        throw new IllegalArgumentException(
            "-o -: this format holds a single mode; use -o FILE or --format plumb");
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
   * Writes every output that can be written, whatever happens to the others. An empty recording
   * does not replace the default output.
   *
   * @param interval its number becomes part of the files' names; 0 for none
   * @param written an output that exists already
   */
  void write(Recording recording, int interval, Path written, Consumer<String> say) {
    WriteOptions options = WriteOptions.DEFAULT.withValue(value);
    boolean empty = recording.profiles().stream().allMatch(profile -> profile.rows() == 0);
    List<RuntimeException> failures = new ArrayList<>();
    for (String output : outputs) {
      try {
        if (output.equals(OutputFile.STANDARD_OUTPUT)) {
          OutputFile.write(
              output, System.out, out -> Formats.write(recording, out, format(output), options));
          continue;
        }
        Path file = numbered(output, interval);
        if (file.toAbsolutePath().equals(written)) {
          say.accept("wrote " + file);
        } else if (empty && outputs == DEFAULT && Files.isRegularFile(file)) {
          say.accept("nothing was recorded; " + file + " is unchanged");
        } else {
          Formats.save(recording, file, options).forEach(path -> say.accept("wrote " + path));
        }
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      failures.stream().skip(1).forEach(e -> Stderr.say(e.getMessage()));
      throw failures.getFirst();
    }
  }

  /**
   * The file that a recording is written to while it is taken: the first {@code .plumb} output,
   * else a file beside the first output.
   */
  Path partsFile(int interval) {
    List<Path> files =
        outputs.stream()
            .filter(output -> !output.equals(OutputFile.STANDARD_OUTPUT))
            .map(output -> numbered(output, interval).toAbsolutePath())
            .filter(file -> !Files.exists(file) || Files.isRegularFile(file))
            .filter(file -> Files.isWritable(file.getParent()))
            .toList();
    return files.stream()
        .filter(file -> file.toString().endsWith(PLUMB_ENDING))
        .findFirst()
        .or(() -> files.stream().findFirst().map(OutputOptions::partial))
        .orElseGet(OutputOptions::partsElsewhere);
  }

  /** The same where no output is a file, or there is no room beside them. */
  static Path partsElsewhere() {
    return partial(
        Path.of(System.getProperty("java.io.tmpdir"))
            .resolve("plumb-" + ProcessHandle.current().pid()));
  }

  private static Path partial(Path file) {
    return file.resolveSibling(file.getFileName() + ".partial" + PLUMB_ENDING);
  }

  /** Whether a file is an output, not only a file for the time of the recording. */
  boolean isOutput(Path file, int interval) {
    return outputs.stream()
        .anyMatch(output -> numbered(output, interval).toAbsolutePath().equals(file));
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
