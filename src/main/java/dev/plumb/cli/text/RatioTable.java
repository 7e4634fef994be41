package dev.plumb.cli.text;

import dev.plumb.export.flame.Amount;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.Entry;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.SymbolKind;
import dev.plumb.profile.ValueType;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One measure divided by another, by function, module, process or thread: instructions per cycle,
 * bytes per call, misses per page.
 */
public final class RatioTable {
  /** A column of a profile. */
  public record Measure(Profile profile, int type) {
    ValueType value() {
      return profile.types().get(type);
    }
  }

  private record Key(String name, SymbolKind kind, String module) {
    static Key of(Entry entry) {
      return new Key(entry.name(), entry.kind(), entry.module());
    }
  }

  private final Measure shown;
  private final Measure base;

  public RatioTable(Measure shown, Measure base) {
    this.shown = shown;
    this.base = base;
  }

  /** What is named: another value of the same mode, or another mode of the recording. */
  public static Optional<Measure> named(String name, Profile shown, Recording recording) {
    OptionalInt value = shown.type(name);
    if (value.isPresent()) {
      return Optional.of(new Measure(shown, value.getAsInt()));
    }
    return recording.profiles().stream()
        .filter(profile -> profile.mode().equals(name))
        .findFirst()
        .map(profile -> new Measure(profile, profile.mainType()));
  }

  /** Prints the entries that have most of the divisor: for these, a ratio means something. */
  public void print(
      PrintWriter out, Colours colours, FunctionTotals.By by, boolean bySelf, int top) {
    Map<Key, Entry> amounts = new HashMap<>();
    for (Entry entry : FunctionTotals.of(shown.profile(), shown.type(), by).entries()) {
      amounts.put(Key.of(entry), entry);
    }
    FunctionTotals bases = FunctionTotals.of(base.profile(), base.type(), by);
    boolean whole = by == FunctionTotals.By.PROCESS || by == FunctionTotals.By.THREAD;
    String of = base.value().name().toUpperCase(Locale.ROOT);
    String per = shown.value().name().toUpperCase(Locale.ROOT) + " PER " + singular(of);
    TextTable table =
        whole
            ? new TextTable(of, per, "<" + by.name(), "<")
            : new TextTable("SELF " + of, per, "TOTAL " + of, per, "<" + by.name(), "<MODULE");
    List<Entry> entries = bySelf && !whole ? bases.hottestSelf(top) : bases.hottestTotal(top);
    for (Entry entry : entries) {
      Entry amount = amounts.getOrDefault(Key.of(entry), new Entry("", entry.kind(), "", 0, 0));
      String total = amount(entry.total());
      String ofTotal = ratio(amount.total(), entry.total());
      String name = ShownNames.clean(entry.name());
      if (whole) {
        table.row(total, ofTotal, name, ShownNames.clean(entry.module()));
      } else {
        String self = amount(entry.self());
        String ofSelf = ratio(amount.self(), entry.self());
        table.row(self, ofSelf, total, ofTotal, name, ShownNames.file(entry.module()));
      }
    }
    table.print(out, colours);
    TextTable.printLeft(out, colours, bases.entries().size() - entries.size());
  }

  private String amount(long value) {
    ValueType type = base.value();
    return type.unit().equals("count")
        ? Amount.grouped(value)
        : Amount.of(value, type.name(), type.unit());
  }

  /** In the unit of the dividend if the divisor is a count; else a plain number. */
  private String ratio(long part, long of) {
    if (of == 0) {
      return "–";
    }
    boolean counted = base.value().unit().equals("count");
    String unit = shown.value().unit();
    return counted && !unit.equals("count")
        ? Amount.of(Math.round((double) part / of), shown.value().name(), unit)
        : String.format(Locale.ROOT, "%.3f", (double) part / of);
  }

  private static String singular(String words) {
    return words.endsWith("S") ? words.substring(0, words.length() - 1) : words;
  }
}
