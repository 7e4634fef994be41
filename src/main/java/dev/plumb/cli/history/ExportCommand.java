package dev.plumb.cli.history;

import dev.plumb.cli.options.FormatOption;
import dev.plumb.cli.options.StoreChoice;
import dev.plumb.cli.text.SafeText;
import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.StoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code plumb export MODE -o FILE}: a part of the store as a recording of its own. */
@Command(
    name = "export",
    description = "Writes a part of the store to a file, in any format that Plumb writes.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:the store cannot be read, or the file not written",
      "2:wrong usage"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  plumb export cpu -o hour.html                        the last hour's flame graph",
      "  plumb export cpu --from 03:00 --to 03:15 -o night.pb.gz",
      "  plumb export offcpu --where '{comm=\"nginx\"}' -o waits.plumb   with timestamps",
      "Samples keep their timestamps if the store still has them and there are not too many.",
      "If plumb serve is running, it answers; only its user and root may ask it."
    })
public final class ExportCommand extends StoreCommand {
  @Mixin private StoreChoice choice = new StoreChoice();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "Output file; its extension selects the format.")
  private Path target;

  @Mixin private FormatOption format = new FormatOption();

  @Option(
      names = "--max-samples",
      paramLabel = "N",
      defaultValue = "2000000",
      description = "Omit timestamps if there are more samples (default: ${DEFAULT-VALUE}).")
  private long most;

  @Override
  int ask() {
    Format chosen = format.of(target.toString());
    try (ReadableStore store = choice.open()) {
      Selection selection = choice.selection(store);
      Profile merged = store.merged(selection);
      if (merged.rows() == 0) {
        return failed("no data in this time range");
      }
      try (Recording recording = recording(store, selection, merged)) {
        for (Path written : Formats.save(recording, target, chosen, WriteOptions.DEFAULT)) {
          out().println("wrote " + written);
        }
      }
    }
    return FINE;
  }

  /** With times if all of it has times. */
  private Recording recording(ReadableStore store, Selection selection, Profile merged) {
    String why = "of older samples, the store has only sums";
    try {
      Recording timed = store.samples(selection, most);
      Profile profile = timed.main();
      if (profile.total(profile.mainType()) == merged.total(0)) {
        return timed;
      }
      timed.close();
    } catch (StoreException e) {
      why = e.getMessage();
    }
    err().println("plumb: without timestamps: " + SafeText.line(why));
    long from = selection.range().fromNanos();
    return new Recording(from, selection.range().toNanos() - from, List.of(merged), Map.of());
  }
}
