package dev.plumb.cli.history;

import dev.plumb.store.SqlTable;
import java.io.PrintWriter;
import java.util.List;

/** Rows as an array of objects, one per line. */
final class SqlJson implements SqlTable {
  private final PrintWriter out;
  private List<String> names = List.of();
  private List<Boolean> numeric = List.of();
  private boolean first = true;

  SqlJson(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void columns(List<String> columnNames, List<Boolean> isNumeric) {
    names = columnNames;
    numeric = isNumeric;
    out.print("[");
  }

  @Override
  public void row(List<String> cells, boolean[] nulls) {
    StringBuilder line = new StringBuilder(first ? "\n{" : ",\n{");
    first = false;
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      line.append(i == 0 ? "" : ", ").append(text(names.get(i))).append(": ");
      // Numbers that are none have no form in JSON.
      boolean number = numeric.get(i) && !cell.equals("NaN") && !cell.endsWith("Infinity");
      line.append(nulls[i] ? "null" : number ? cell : text(cell));
    }
    out.print(line.append("}"));
  }

  void end() {
    out.println(names.isEmpty() ? "[]" : "\n]");
  }

  private static String text(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        default -> {
          if (c < ' ') {
            quoted.append(String.format("\\u%04x", (int) c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }
}
