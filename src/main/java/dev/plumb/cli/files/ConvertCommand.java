package dev.plumb.cli.files;

import dev.plumb.cli.options.ChoiceOptions;
import dev.plumb.cli.options.FormatOption;
import dev.plumb.cli.options.TitleOption;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

  @Mixin private FormatOption format = new FormatOption();

  @Mixin private ChoiceOptions choice = new ChoiceOptions();

  @Mixin private TitleOption title = new TitleOption();

  @Override
  protected int run() throws IOException {
    boolean toStandardOutput = target.equals(OutputFile.STANDARD_OUTPUT);
    if (toStandardOutput && !format.isGiven()) {
      return wrongUsage("standard output has no file extension; use --format");
    }
    WriteOptions options = choice.writeOptions().withTitle(title.title());
    Format chosen = format.of(target);
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
