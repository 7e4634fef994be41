package dev.plumb.cli.text;

import dev.plumb.export.flame.Amount;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.FunctionTotals.Entry;
import dev.plumb.profile.Profile;
import java.io.PrintWriter;
import java.util.List;

/** Functions or modules with what they took themselves, and with what they called. */
public final class HotFunctionTable {
  private final Profile profile;
  private final int type;
  private final FunctionTotals totals;

  public HotFunctionTable(Profile profile, int type, FunctionTotals totals) {
    this.profile = profile;
    this.type = type;
    this.totals = totals;
  }

  /**
   * Prints some entries.
   *
   * @param title of the column with the names
   * @param left how many are not shown
   */
  public void print(PrintWriter out, Colours colours, List<Entry> entries, String title, int left) {
    String base = "% OF " + Summary.amount(totals.sum(), profile, type);
    String module = totals.by() == By.FUNCTION ? "<MODULE" : "<";
    TextTable table = new TextTable("SELF", base, "TOTAL", base, "<" + title, module);
    for (Entry entry : entries) {
      table.row(
          Summary.amount(entry.self(), profile, type),
          Amount.percent(entry.self(), totals.sum()),
          Summary.amount(entry.total(), profile, type),
          Amount.percent(entry.total(), totals.sum()),
          totals.by() == By.MODULE ? ShownNames.file(entry.name()) : ShownNames.clean(entry.name()),
          ShownNames.file(entry.module()));
    }
    table.print(out, colours);
    TextTable.printLeft(out, colours, left);
  }
}
