package dev.plumb.cli.record;

import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.ShownNames;
import dev.plumb.cli.text.Sparklines;
import dev.plumb.cli.text.Terminal;
import dev.plumb.cli.text.TextTable;
import dev.plumb.export.flame.Amount;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.FunctionTotals.Entry;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The screen of {@code plumb top}: the last interval and the history before it. */
final class TopView {
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final int LINES_BESIDE_ROWS = 6;

  /** What is shown of one mode. */
  private record Look(
      String mode,
      String head,
      String quality,
      FunctionTotals processes,
      FunctionTotals functions,
      double seconds,
      String name,
      String unit) {}

  private final PrintWriter out;
  private final Colours colours;
  private final int rows;
  private final String value;
  private final Map<String, Sparklines> history = new HashMap<>();
  private List<Look> looks = List.of();
  private int shown;
  private boolean functionsFirst;
  private boolean bySelf;
  private boolean paused;

  TopView(PrintWriter out, Colours colours, int rows, String value) {
    this.out = out;
    this.colours = colours;
    this.rows = rows;
    this.value = value;
  }

  /** Takes the latest interval. */
  void add(Recording recording) {
    List<Look> latest = new ArrayList<>();
    for (Profile profile : recording.profiles()) {
      int type = value.isEmpty() ? profile.mainType() : profile.type(value).orElseThrow();
      FunctionTotals processes = FunctionTotals.of(profile, type, By.PROCESS);
      history.computeIfAbsent(profile.mode(), m -> new Sparklines()).add(processes.entries());
      String name = profile.types().get(type).name();
      String unit = profile.types().get(type).unit();
      latest.add(
          new Look(
              profile.mode(),
              Amount.of(profile.total(type), name, unit)
                  + " in "
                  + Amount.of(recording.durationNanos(), "", "nanoseconds"),
              quality(profile.quality()),
              processes,
              FunctionTotals.of(profile, type, By.FUNCTION),
              recording.durationNanos() / 1e9,
              name,
              unit));
    }
    if (!paused) {
      looks = latest;
    }
  }

  private static String quality(Quality quality) {
    long due = quality.samples() + quality.lostTotal();
    return "%s lost · %s incomplete stacks · %s unnamed"
        .formatted(
            Amount.percent(quality.lostTotal(), due),
            Amount.percent(quality.truncatedTotal(), quality.samples()),
            Amount.percent(quality.unnamedTotal(), quality.samples()));
  }

  /** Handles a key; whether that changes the screen. */
  boolean press(int key) {
    switch (key) {
      case 'p' -> functionsFirst = !functionsFirst;
      case 's' -> bySelf = !bySelf;
      case 'm' -> shown++;
      case ' ' -> paused = !paused;
      default -> {
        return false;
      }
    }
    return true;
  }

  void show(boolean live) {
    if (!live) {
      looks.forEach(look -> print(out, look, rows));
      out.flush();
      return;
    }
    if (looks.isEmpty()) {
      return;
    }
    StringWriter text = new StringWriter();
    PrintWriter page = new PrintWriter(text);
    int lines = Terminal.lines();
    print(page, looks.get(shown % looks.size()), Math.max(1, lines / 2 - LINES_BESIDE_ROWS));
    page.println(
        colours.soft("q quit · p processes/functions · s self/total · m mode · space pause"));
    page.flush();
    out.print("\033[H");
    text.toString().lines().limit(lines - 1).forEach(line -> out.print(line + "\033[K\n"));
    out.print("\033[J");
    out.flush();
  }

  private void print(PrintWriter page, Look look, int most) {
    page.println(
        "%s  %s  %s  %s"
            .formatted(
                LocalTime.now().format(CLOCK),
                colours.bold(look.mode()),
                look.head(),
                colours.soft(look.quality() + (paused ? " · paused" : ""))));
    page.println();
    if (functionsFirst) {
      printFunctions(page, look, most);
      page.println();
      printProcesses(page, look, most);
    } else {
      printProcesses(page, look, most);
      page.println();
      printFunctions(page, look, most);
    }
    page.println();
  }

  private void printProcesses(PrintWriter page, Look look, int most) {
    Sparklines lines = history.get(look.mode());
    TextTable table = new TextTable("PER SECOND", "% OF ALL", "<PROCESS", "<HISTORY");
    for (Entry entry : look.processes().hottestTotal(Math.min(most, rows))) {
      table.row(
          rate(entry.total(), look),
          Amount.percent(entry.total(), look.processes().sum()),
          ShownNames.clean(entry.name()),
          lines.of(entry.name()));
    }
    table.print(page, colours);
  }

  private void printFunctions(PrintWriter page, Look look, int most) {
    int limit = Math.min(most, rows);
    FunctionTotals totals = look.functions();
    TextTable table =
        new TextTable("SELF", "% OF ALL", "TOTAL", "% OF ALL", "<FUNCTION", "<MODULE");
    for (Entry entry : bySelf ? totals.hottestSelf(limit) : totals.hottestTotal(limit)) {
      table.row(
          rate(entry.self(), look),
          Amount.percent(entry.self(), totals.sum()),
          rate(entry.total(), look),
          Amount.percent(entry.total(), totals.sum()),
          ShownNames.clean(entry.name()),
          ShownNames.file(entry.module()));
    }
    table.print(page, colours);
  }

  /** An amount per second. */
  private static String rate(long amount, Look look) {
    return Amount.of(Math.round(amount / look.seconds()), look.name(), look.unit());
  }
}
