package dev.plumb.cli.files;

import dev.plumb.cli.options.ChoiceOptions;
import dev.plumb.cli.options.RowsOption;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.HotFunctionTable;
import dev.plumb.cli.text.LabelTable;
import dev.plumb.cli.text.RatioTable;
import dev.plumb.cli.text.ShownNames;
import dev.plumb.cli.text.Summary;
import dev.plumb.cli.text.TextTable;
import dev.plumb.cli.text.TreePrinter;
import dev.plumb.cli.text.WriterStream;
import dev.plumb.export.file.OutputFile;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.flame.Amount;
import dev.plumb.export.text.FoldedWriter;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.FunctionTotals.Entry;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb report FILE}: tables and trees of a recording on the terminal. */
@Command(
    name = "report",
    description =
        "Shows a recording as a table of functions, modules, processes, threads or label values,"
            + " or as a call tree.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:the file cannot be read", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  plumb report plumb.plumb                 the hottest functions",
      "  plumb report cpu.pb.gz --by process      who used the time",
      "  plumb report run.plumb --mode io --by file   what was read and written",
      "  plumb report run.plumb --mode io --value latency --per calls   how long a call takes",
      "  plumb report out.folded --tree --min 1   the call tree, down to 1 %%",
      "  perf script | plumb report -             what perf recorded",
      "Reads .plumb, pprof, folded stacks and the output of perf script, gzipped or not."
    })
public final class ReportCommand extends FileCommand {
  @Parameters(paramLabel = "FILE", description = "Recording to read; - is standard input.")
  private String file;

  @Option(
      names = "--by",
      paramLabel = "WHAT",
      defaultValue = "function",
      description =
          "Group by function (default), module, process, thread, or a label: reason, waker, file, lock, …")
  private String by;

  @Mixin private RowsOption top = new RowsOption();

  @Option(
      names = "--sort",
      paramLabel = "BY",
      defaultValue = "self",
      description = "Sort by self (default) or total.")
  private String sort;

  @Option(
      names = "--per",
      paramLabel = "WHAT",
      description =
          "Divide by another value of the mode, or by another mode in the file:"
              + " --mode hw:instructions --per hw:cycles.")
  private String per = "";

  @Mixin private ChoiceOptions choice = new ChoiceOptions();

  @Option(names = "--folded", description = "Print folded stacks instead of a table.")
  private boolean folded;

  @Option(names = "--tree", description = "Print a call tree instead of a table.")
  private boolean tree;

  @Option(
      names = "--min",
      paramLabel = "PERCENT",
      defaultValue = "0.5",
      description = "Leave smaller nodes out of the tree (default: ${DEFAULT-VALUE}).")
  private double smallest;

  @Option(
      names = "--summary",
      description = "Print the totals, the quality and the hottest functions of all modes.")
  private boolean summary;

  @Override
  protected int run() throws IOException {
    if (!sort.equals("self") && !sort.equals("total")) {
      return wrongUsage("--sort " + sort + ": use self or total");
    }
    Colours colours = Colours.ofStandardOutput();
    WriteOptions options = choice.writeOptions();
    try (Recording recording = read(file)) {
      if (summary) {
        new Summary(out(), colours, top.rows()).print(recording);
        return FINE;
      }
      if (folded) {
        out().flush();
        OutputFile.write(
            OutputFile.STANDARD_OUTPUT,
            new WriterStream(out()),
            stream -> new FoldedWriter().write(recording, stream, options));
        return FINE;
      }
      Profile profile = options.profile(recording);
      Optional<By> grouping = grouping();
      if (grouping.isEmpty() && !LabelTable.labels(profile).contains(by)) {
        return wrongUsage("--by " + by + ": use " + groupings(profile));
      }
      int type = options.type(profile);
      Optional<RatioTable.Measure> base =
          per.isEmpty() ? Optional.empty() : RatioTable.named(per, profile, recording);
      if (!per.isEmpty() && (base.isEmpty() || grouping.isEmpty() || tree)) {
        return wrongUsage(
            base.isEmpty()
                ? noSuchBase(profile)
                : "--per: use --by function, module, process or thread, and no --tree");
      }
      Summary head = new Summary(out(), colours, top.rows());
      head.head(recording, profile);
      head.quality(profile);
      out().println();
      if (base.isPresent()) {
        new RatioTable(new RatioTable.Measure(profile, type), base.get())
            .print(out(), colours, grouping.orElseThrow(), sort.equals("self"), top.rows());
      } else if (tree) {
        new TreePrinter(out(), colours).print(profile, type, smallest / 100);
      } else if (grouping.isPresent()) {
        table(profile, FunctionTotals.of(profile, type, grouping.get()), type, colours);
      } else {
        new LabelTable(profile, by, type).print(out(), colours, top.rows());
      }
      others(recording, profile);
    }
    return FINE;
  }

  private String noSuchBase(Profile profile) {
    String values = profile.types().stream().map(ValueType::name).collect(Collectors.joining(", "));
    return "--per %s: no such mode in the file; the values of mode %s are %s"
        .formatted(per, profile.mode(), values);
  }

  private Optional<By> grouping() {
    return Arrays.stream(By.values())
        .filter(grouping -> grouping.name().equals(by.toUpperCase(Locale.ROOT)))
        .findFirst();
  }

  private static String groupings(Profile profile) {
    SortedSet<String> labels = LabelTable.labels(profile);
    return "function, module, process or thread"
        + (labels.isEmpty() ? "" : "; or a label: " + String.join(", ", labels));
  }

  private void table(Profile profile, FunctionTotals totals, int type, Colours colours) {
    List<Entry> entries =
        sort.equals("self") ? totals.hottestSelf(top.rows()) : totals.hottestTotal(top.rows());
    int left = totals.entries().size() - entries.size();
    String title = totals.by().name();
    if (totals.by() == By.FUNCTION || totals.by() == By.MODULE) {
      new HotFunctionTable(profile, type, totals).print(out(), colours, entries, title, left);
      return;
    }
    TextTable table =
        new TextTable(
            "TOTAL",
            "% OF " + Summary.amount(totals.sum(), profile, type),
            "<" + title,
            totals.by() == By.THREAD ? "<PROCESS" : "<");
    for (Entry entry : entries) {
      table.row(
          Summary.amount(entry.total(), profile, type),
          Amount.percent(entry.total(), totals.sum()),
          ShownNames.clean(entry.name()),
          ShownNames.clean(entry.module()));
    }
    table.print(out(), colours);
    TextTable.printLeft(out(), colours, left);
  }

  /** Says which modes are not shown. */
  private void others(Recording recording, Profile shown) {
    List<String> modes =
        recording.profiles().stream()
            .map(Profile::mode)
            .filter(name -> !name.equals(shown.mode()))
            .map(ShownNames::clean)
            .toList();
    if (!modes.isEmpty()) {
      out().println();
      out().println("also in this file: " + String.join(", ", modes) + " (--mode)");
    }
  }
}
