package dev.plumb.cli.text;

import dev.plumb.export.flame.Amount;
import dev.plumb.profile.Profile;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Totals of each value of a label, in all columns of a profile. */
public final class LabelTable {
  private static final String NONE = "(none)";

  private final Profile profile;
  private final String label;
  private final int type;
  private final Map<String, long[]> sums = new HashMap<>();

  /**
   * @param type the column that it is sorted by
   */
  public LabelTable(Profile profile, String label, int type) {
    this.profile = profile;
    this.label = label;
    this.type = type;
    int types = profile.types().size();
    for (int row = 0; row < profile.rows(); row++) {
      String value = profile.labels(row).values().getOrDefault(label, NONE);
      long[] amounts = sums.computeIfAbsent(value, x -> new long[types]);
      for (int i = 0; i < types; i++) {
        amounts[i] += profile.value(row, i);
      }
    }
  }

  /** The labels that rows of a profile have. */
  public static SortedSet<String> labels(Profile profile) {
    SortedSet<String> names = new TreeSet<>();
    profile.labelSets().forEach(labels -> names.addAll(labels.values().keySet()));
    return names;
  }

  public void print(PrintWriter out, Colours colours, int rows) {
    long all = profile.total(type);
    int types = profile.types().size();
    String[] heads = new String[types + 2];
    for (int i = 0; i < types; i++) {
      heads[i] = profile.types().get(i).name().toUpperCase(Locale.ROOT);
    }
    heads[types] = "% OF " + Summary.amount(all, profile, type);
    heads[types + 1] = "<" + label.toUpperCase(Locale.ROOT);
    TextTable table = new TextTable(heads);
    List<Map.Entry<String, long[]>> sorted =
        sums.entrySet().stream()
            .sorted(
                Comparator.comparingLong((Map.Entry<String, long[]> e) -> -e.getValue()[type])
                    .thenComparing(Map.Entry::getKey))
            .toList();
    for (Map.Entry<String, long[]> entry : sorted.subList(0, Math.min(rows, sorted.size()))) {
      String[] cells = new String[types + 2];
      for (int i = 0; i < types; i++) {
        cells[i] = Summary.amount(entry.getValue()[i], profile, i);
      }
      cells[types] = Amount.percent(entry.getValue()[type], all);
      cells[types + 1] = ShownNames.clean(entry.getKey());
      table.row(cells);
    }
    table.print(out, colours);
    if (sorted.size() > rows) {
      out.println(colours.soft("… and " + Amount.grouped(sorted.size() - rows) + " more"));
    }
  }
}
