package dev.plumb.cli.files;

import dev.plumb.cli.options.ChoiceOptions;
import dev.plumb.cli.options.RowsOption;
import dev.plumb.cli.options.TitleOption;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.ShownNames;
import dev.plumb.cli.text.Summary;
import dev.plumb.cli.text.TextTable;
import dev.plumb.export.file.OutputFile;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.flame.Amount;
import dev.plumb.export.flame.Difference;
import dev.plumb.export.flame.Difference.Entry;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.SymbolKind;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb diff A B}: what takes more and what takes less. */
@Command(
    name = "diff",
    description =
        "Compares two recordings: lists the functions that changed most and, with -o, writes one"
            + " flame graph of both.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:a file cannot be read or written", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  plumb diff a.plumb b.plumb                 the largest changes",
      "  plumb diff a.plumb b.plumb -o diff.html    blue is less, red is more",
      "  plumb diff a.folded b.folded -o d.folded   stack n1 n2, like difffolded",
      "Without --absolute, each function's share of its recording is compared. A change",
      "that may be chance (within two standard deviations) is marked with ~."
    })
public final class DiffCommand extends FileCommand {
  @Parameters(index = "0", paramLabel = "A", description = "Recording before the change.")
  private String before;

  @Parameters(index = "1", paramLabel = "B", description = "Recording after the change.")
  private String after;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      defaultValue = "",
      description = "Write a flame graph (.html) or folded lines (.folded).")
  private String target;

  @Option(names = "--absolute", description = "Compare absolute values instead of shares.")
  private boolean absolute;

  @Mixin private RowsOption top = new RowsOption();

  @Mixin private ChoiceOptions choice = new ChoiceOptions();

  @Mixin private TitleOption title = new TitleOption();

  @Override
  protected int run() throws IOException {
    boolean html = target.endsWith(".html");
    if (!target.isEmpty() && !html && !target.endsWith(".folded")) {
      return wrongUsage("-o " + target + ": use .html or .folded");
    }
    WriteOptions options = WriteOptions.DEFAULT.withMode(choice.mode);
    try (Recording a = read(before);
        Recording b = read(after)) {
      Difference difference =
          new Difference(
              options.profile(a),
              options.profile(b),
              name(before, after),
              name(after, before),
              choice.value,
              absolute);
      table(difference);
      if (!target.isEmpty()) {
        OutputFile.write(
            Path.of(target),
            out -> {
              if (html) {
                difference.writeHtml(out, title.title());
              } else {
                difference.writeFolded(out);
              }
            });
        out().println();
        out().println("wrote " + target);
      }
      return FINE;
    }
  }

  /** The file's name, or all of its path where both are named alike. */
  private static String name(String file, String other) {
    Path name = Path.of(file).getFileName();
    return name == null || name.equals(Path.of(other).getFileName()) ? file : name.toString();
  }

  private void table(Difference difference) {
    Colours colours = Colours.ofStandardOutput();
    out()
        .println(
            colours.bold(difference.after().mode())
                + "  "
                + whole(difference, difference.before(), difference.beforeName())
                + " → "
                + whole(difference, difference.after(), difference.afterName()));
    out().println();
    List<Entry> entries =
        difference.functions().stream()
            .filter(entry -> entry.symbol().kind() != SymbolKind.ALL)
            .filter(entry -> entry.symbol().kind() != SymbolKind.PROCESS)
            .filter(entry -> entry.selfChange() != 0 || entry.totalChange() != 0)
            .sorted(
                Comparator.<Entry>comparingDouble(entry -> -Math.abs(entry.selfChange()))
                    .thenComparingDouble(entry -> -Math.abs(entry.totalChange()))
                    .thenComparing(entry -> entry.symbol().name()))
            .toList();
    if (entries.isEmpty()) {
      out().println("no difference");
      return;
    }
    TextTable table =
        new TextTable(
            "SELF",
            "",
            "TOTAL",
            "IN " + difference.beforeName(),
            "IN " + difference.afterName(),
            "<FUNCTION",
            "<MODULE");
    entries.stream().limit(top.rows()).forEach(entry -> row(table, difference, entry, colours));
    table.print(out(), colours);
    TextTable.printLeft(out(), colours, entries.size() - top.rows());
  }

  private static String whole(Difference difference, Profile profile, String name) {
    int type = WriteOptions.DEFAULT.withValue(difference.value()).type(profile);
    return ShownNames.clean(name) + " " + Summary.amount(profile.total(type), profile, type);
  }

  private static void row(TextTable table, Difference difference, Entry entry, Colours colours) {
    table.row(
        change(difference, entry.selfChange(), entry.isChance(), colours),
        entry.isChance() ? "~" : "",
        change(difference, entry.totalChange(), entry.isChance(), colours),
        one(difference, entry.totalBefore()),
        one(difference, entry.totalAfter()),
        ShownNames.clean(entry.symbol().name()),
        ShownNames.file(entry.symbol().module()));
  }

  private static String change(
      Difference difference, double change, boolean chance, Colours colours) {
    String text =
        difference.absolute()
            ? (change >= 0 ? "+" : "-") + one(difference, Math.abs(change))
            : String.format(Locale.ROOT, "%+.2f pt", 100 * change);
    if (chance) {
      return colours.soft(text);
    }
    return change > 0 ? colours.more(text) : change < 0 ? colours.less(text) : text;
  }

  private static String one(Difference difference, double value) {
    ValueType type = difference.type();
    return difference.absolute()
        ? Amount.of(Math.round(value), type.name(), type.unit())
        : String.format(Locale.ROOT, "%.2f %%", 100 * value);
  }
}
