package dev.plumb.cli.text;

import dev.plumb.collect.Recorder;
import dev.plumb.export.flame.Amount;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.FunctionTotals.Entry;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A recording on one screen: totals, quality, and the hottest functions. */
public final class Summary {
  private static final int PROCESSES = 5;
  private static final int FILES = 5;
  private static final int REASONS = 3;

  /** What a sample is, by the values of its mode. */
  private static final Map<String, String> COUNTED =
      Map.of(
          "samples", "samples",
          "waits", "waits",
          "calls", "calls",
          "requests", "requests",
          "faults", "faults",
          "pages", "pages",
          "alloc_objects", "allocations");

  private final PrintWriter out;
  private final Colours colours;
  private final int functions;

  /** {@code functions} is how many of them are listed. */
  public Summary(PrintWriter out, Colours colours, int functions) {
    this.out = out;
    this.colours = colours;
    this.functions = functions;
  }

  /** All modes, one after another. */
  public void print(Recording recording) {
    boolean first = true;
    for (Profile profile : recording.profiles()) {
      if (!first) {
        out.println();
      }
      first = false;
      head(recording, profile);
      quality(profile);
      for (String fact : List.of(Recorder.NAMES, Recorder.UNWATCHED)) {
        String trouble = recording.facts().getOrDefault(fact, "");
        if (!trouble.isEmpty()) {
          out.println(colours.warn(fact + ": " + ShownNames.clean(trouble)));
        }
      }
      String said = recording.facts().getOrDefault(profile.mode(), "");
      if (!said.isEmpty()) {
        out.println(ShownNames.clean(said));
      }
      errors(profile);
      functions(profile);
      Histogram.of(profile)
          .ifPresent(
              histogram -> {
                out.println();
                String events = profile.types().get(profile.countType().orElseThrow()).name();
                histogram.print(out, colours, events.toUpperCase(Locale.ROOT));
              });
      if (LabelTable.labels(profile).contains("file")) {
        out.println();
        new LabelTable(profile, "file", profile.mainType()).print(out, colours, FILES);
      }
      processes(profile);
    }
    out.flush();
  }

  /** {@code cpu 40.4 s in 4 000 samples, 20.0 s on box}. */
  public void head(Recording recording, Profile profile) {
    int main = profile.mainType();
    StringBuilder line = new StringBuilder(amount(profile.total(main), profile, main));
    profile
        .countType()
        .ifPresent(
            count -> {
              if (count != main) {
                line.append(" in ").append(amount(profile.total(count), profile, count));
              }
            });
    if (recording.durationNanos() > 0) {
      line.append(", ").append(Amount.of(recording.durationNanos(), "", "nanoseconds"));
    }
    String host = recording.facts().getOrDefault("host", "");
    if (!host.isEmpty()) {
      line.append(" on ").append(ShownNames.clean(host));
    }
    out.println(colours.bold(ShownNames.clean(profile.mode())) + "  " + line);
  }

  /**
   * Samples, losses, incomplete stacks and unnamed frames with their reasons, and the frequency
   * held: {@code 1 303 samples · 0 lost · 0 incomplete stacks · 0 unnamed (99.0 of 99 Hz held)}.
   */
  public void quality(Profile profile) {
    Quality quality = profile.quality();
    if (quality.equals(Quality.UNKNOWN)) {
      out.println(colours.soft(noQuality(profile)));
      return;
    }
    long samples = quality.samples();
    long due = samples + quality.lostTotal();
    String stacks = quality.truncatedTotal() == 1 ? "incomplete stack" : "incomplete stacks";
    List<String> parts =
        List.of(
            Amount.grouped(samples) + " " + counted(profile),
            part("lost", quality.lost(), quality.lostTotal(), due),
            part(stacks, quality.truncated(), quality.truncatedTotal(), samples),
            part("unnamed", quality.unnamed(), quality.unnamedTotal(), samples));
    String held =
        quality.rateAsked() > 0
            ? String.format(
                Locale.ROOT,
                " (%.1f of %s Hz held)",
                quality.rateHeld(),
                trimmed(quality.rateAsked()))
            : "";
    out.println(String.join(" · ", parts) + held);
  }

  /** What a mode counts, in the plural; an event where no value of the mode says it. */
  private static String counted(Profile profile) {
    if (profile.mode().equals("mem-light")) {
      return "samples"; // its allocations are estimated
    }
    return profile.types().stream()
        .map(type -> COUNTED.getOrDefault(type.name(), ""))
        .filter(name -> !name.isEmpty())
        .findFirst()
        .orElse("events");
  }

  /** Why there are no figures: nothing was counted, or the file does not have them. */
  private static String noQuality(Profile profile) {
    if (profile.rows() == 0) {
      return "no samples: nothing of this kind happened";
    }
    OptionalInt count = profile.countType();
    return count.isPresent() && profile.total(count.getAsInt()) == 0
        ? "no " + profile.types().get(count.getAsInt()).name() + " recorded, so no quality figures"
        : "quality unknown: the file does not record it";
  }

  /** Errors of programs: rows that have the label {@code error}. */
  private void errors(Profile profile) {
    Map<String, Long> errors = new TreeMap<>();
    for (int row = 0; row < profile.rows(); row++) {
      String error = profile.labels(row).values().get("error");
      if (error != null) {
        errors.merge(error, profile.value(row, profile.types().size() - 1), Long::sum);
      }
    }
    errors.forEach(
        (error, count) ->
            out.println(colours.warn(ShownNames.clean(error) + ": " + Amount.grouped(count))));
  }

  private String part(String what, Map<String, Long> reasons, long count, long base) {
    if (count == 0) {
      return "0 " + what;
    }
    String why =
        reasons.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(REASONS)
            .map(
                reason ->
                    ShownNames.file(reason.getKey()) + " " + Amount.grouped(reason.getValue()))
            .collect(Collectors.joining(", "));
    String more = reasons.size() > REASONS ? ", …" : "";
    String text =
        "%s %s (%s: %s%s)"
            .formatted(Amount.grouped(count), what, Amount.percent(count, base), why, more);
    return count * 100 > base ? colours.warn(text) : text;
  }

  private static String trimmed(double rate) {
    return rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate);
  }

  /** The hottest by self and by total, in one table. */
  private void functions(Profile profile) {
    FunctionTotals totals = FunctionTotals.of(profile, profile.mainType(), By.FUNCTION);
    if (totals.sum() == 0) {
      out.println("nothing was measured");
      return;
    }
    out.println();
    HotFunctionTable table = new HotFunctionTable(profile, profile.mainType(), totals);
    table.print(out, colours, totals.hottestSelf(functions), "FUNCTION, hottest by self", 0);
    Set<Entry> shown = new LinkedHashSet<>(totals.hottestSelf(functions));
    List<Entry> callers =
        totals.hottestTotal(functions).stream().filter(entry -> !shown.contains(entry)).toList();
    if (!callers.isEmpty()) {
      out.println();
      table.print(out, colours, callers, "FUNCTION, hottest by total (others)", 0);
    }
  }

  private void processes(Profile profile) {
    FunctionTotals totals = FunctionTotals.of(profile, profile.mainType(), By.PROCESS);
    if (totals.sum() == 0) {
      return;
    }
    out.println();
    TextTable table = new TextTable("TOTAL", "% OF ALL", "<PROCESS");
    for (Entry entry : totals.hottestTotal(PROCESSES)) {
      table.row(
          amount(entry.total(), profile, profile.mainType()),
          Amount.percent(entry.total(), totals.sum()),
          ShownNames.clean(entry.name()));
    }
    table.print(out, colours);
  }

  public static String amount(long value, Profile profile, int type) {
    ValueType kind = profile.types().get(type);
    return Amount.of(value, kind.name(), kind.unit());
  }
}
