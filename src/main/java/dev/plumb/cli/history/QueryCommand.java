package dev.plumb.cli.history;

import dev.plumb.cli.options.RowsOption;
import dev.plumb.cli.options.StoreChoice;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.HotFunctionTable;
import dev.plumb.cli.text.ShownNames;
import dev.plumb.cli.text.TextTable;
import dev.plumb.export.flame.Amount;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code plumb query MODE}: what was hot in a part of the store. */
@Command(
    name = "query",
    description = "Shows the hottest functions, or totals by label, in a time range of the store.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:the store cannot be read", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  plumb query cpu                                  the last hour's hottest functions",
      "  plumb query cpu --from 03:00 --to 03:15 --by comm   who was busy at night",
      "  plumb query offcpu --where '{comm=\"postgres\"}' --by reason",
      "  plumb query process_cpu:cpu:nanoseconds:cpu:nanoseconds --from now-7d",
      "If plumb serve is running, it answers; only its user and root may ask it."
    })
public final class QueryCommand extends StoreCommand {
  @Mixin private StoreChoice choice = new StoreChoice();

  @Option(
      names = "--by",
      paramLabel = "LABEL",
      defaultValue = "",
      description = "Show totals by this label instead of functions: comm, service_name, pid, …")
  private String by;

  @Mixin private RowsOption top = new RowsOption();

  @Override
  int ask() {
    Colours colours = Colours.ofStandardOutput();
    try (ReadableStore store = choice.open()) {
      Selection selection = choice.selection(store);
      if (by.isEmpty()) {
        functions(store.merged(selection), colours);
      } else {
        labels(store, selection, colours);
      }
    }
    return FINE;
  }

  private void functions(Profile profile, Colours colours) {
    FunctionTotals totals = FunctionTotals.of(profile, 0, By.FUNCTION);
    if (totals.sum() == 0) {
      out().println("no data in this time range");
      return;
    }
    new HotFunctionTable(profile, 0, totals)
        .print(
            out(),
            colours,
            totals.hottestSelf(top.rows()),
            By.FUNCTION.name(),
            totals.entries().size() - top.rows());
  }

  private void labels(ReadableStore store, Selection selection, Colours colours) {
    TimeRange range = selection.range();
    long step = Math.max(1, range.toNanos() - range.fromNanos());
    List<TimeSeries> all =
        store.timeline(selection, List.of(by), step, top.rows()).stream()
            .sorted(Comparator.comparingDouble(TimeSeries::total).reversed())
            .toList();
    double sum = all.stream().mapToDouble(TimeSeries::total).sum();
    if (sum == 0) {
      out().println("no data in this time range");
      return;
    }
    TextTable table =
        new TextTable("TOTAL", "% OF " + amount(sum, selection.type()), "<" + ShownNames.clean(by));
    for (TimeSeries series : all) {
      String value = series.labels().values().getOrDefault(by, "(others)");
      table.row(
          amount(series.total(), selection.type()),
          Amount.percent(Math.round(series.total()), Math.round(sum)),
          ShownNames.clean(value));
    }
    table.print(out(), colours);
  }

  private static String amount(double value, ProfileType type) {
    return Amount.of(Math.round(value), type.sampleType(), type.sampleUnit());
  }
}
