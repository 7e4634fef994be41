package dev.plumb.cli.text;

import dev.plumb.export.flame.Amount;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Columns of text, as wide as they need to be. */
public final class TextTable {
  private final List<String> heads;
  private final List<Boolean> left;
  private final List<List<String>> rows = new ArrayList<>();

  /** The column of a head that begins with {@code <} is left-aligned. */
  public TextTable(String... heads) {
    this.heads = new ArrayList<>();
    this.left = new ArrayList<>();
    for (String head : heads) {
      left.add(head.startsWith("<"));
      this.heads.add(head.startsWith("<") ? head.substring(1) : head);
    }
  }

  public void row(String... cells) {
    rows.add(List.of(cells));
  }

  public void print(PrintWriter out, Colours colours) {
    int[] widths = new int[heads.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = length(heads.get(i));
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], length(row.get(i)));
      }
    }
    if (heads.stream().anyMatch(head -> !head.isEmpty())) {
      out.println(colours.soft(line(heads, widths)));
    }
    rows.forEach(row -> out.println(line(row, widths)));
  }

  /** Says that there are more rows than were shown. */
  public static void printLeft(PrintWriter out, Colours colours, int left) {
    if (left > 0) {
      out.println(colours.soft("… and " + Amount.grouped(left) + " more (-n)"));
    }
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      String space = " ".repeat(Math.max(0, widths[i] - length(cell)));
      line.append(i == 0 ? "" : "  ").append(left.get(i) ? cell + space : space + cell);
    }
    return line.toString().stripTrailing();
  }

  /** Its visible length, without colour codes. */
  private static int length(String cell) {
    String plain = cell.replaceAll("\u001b\\[[0-9;]*m", "");
    return plain.codePointCount(0, plain.length());
  }
}
