package dev.plumb.cli.history;

import dev.plumb.store.SqlTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.UnaryOperator;

/** Rows as RFC 4180 has them; what is null is empty. */
final class SqlCsv implements SqlTable {
  private final PrintWriter out;
  private final UnaryOperator<String> shown;

  /** Cells go through {@code shown}: a terminal must not see what a file may hold. */
  SqlCsv(PrintWriter out, UnaryOperator<String> shown) {
    this.out = out;
    this.shown = shown;
  }

  @Override
  public void columns(List<String> names, List<Boolean> numeric) {
    row(names, new boolean[names.size()]);
  }

  @Override
  public void row(List<String> cells, boolean[] nulls) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      line.append(i == 0 ? "" : ",").append(nulls[i] ? "" : quoted(shown.apply(cells.get(i))));
    }
    out.println(line);
  }

  private static String quoted(String cell) {
    boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain && !cell.isEmpty() ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }
}
