package dev.plumb.cli.files;

import dev.plumb.cli.options.ChoiceOptions;
import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.export.file.OutputFile;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Recording;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb convert IN OUT}: from any format that Plumb reads to any that it writes. */
@Command(
    name = "convert",
    description = "Writes a recording in another format; the extension of OUT selects it.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:a file cannot be read or written", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  plumb convert plumb.plumb cpu.html       a page with the flame graph",
      "  plumb convert perf.txt cpu.pb.gz         perf script's output as pprof",
      "  plumb convert plumb.plumb - --format folded --mode cpu | flamegraph.pl",
      "Writes .plumb .html .svg .pb.gz .folded .perf .speedscope.json .otlp .txt",
      "Reads .plumb, pprof, folded stacks and the output of perf script, gzipped or not."
    })
public final class ConvertCommand extends FileCommand {
  @Parameters(
      index = "0",
      paramLabel = "IN",
      description = "Recording to read; - is standard input.")
  private String in;

  @Parameters(index = "1", paramLabel = "OUT", description = "File to write; - is standard output.")
  private String target;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "Output format; overrides the file extension: plumb, html, svg, pprof, folded, perf-script, speedscope, otlp or txt.")
  private Optional<String> format = Optional.empty();

  @Mixin private ChoiceOptions choice = new ChoiceOptions();

  @Option(
      names = "--title",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Title of .html and .svg.")
  private String title;

  @Override
  protected int run() throws IOException {
    boolean toStandardOutput = target.equals(OutputFile.STANDARD_OUTPUT);
    if (toStandardOutput && format.isEmpty()) {
      return wrongUsage("standard output has no file extension; use --format");
    }
    WriteOptions options = choice.writeOptions().withTitle(title);
    Format chosen =
        format.isPresent() ? Formats.byName(format.orElseThrow()) : Formats.byEnding(target);
    try (Recording recording = read(in)) {
      if (toStandardOutput) {
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        OutputFile.write(target, out, o -> Formats.write(recording, o, chosen, options));
        return FINE;
      }
      for (Path written : Formats.save(recording, Path.of(target), chosen, options)) {
        out().println("wrote " + written);
      }
      return FINE;
    }
  }
}
