package dev.plumb.store;

import java.util.List;

/** Takes what a query answers. */
public interface SqlTable {
  /** The columns, once. */
  void columns(List<String> names, List<Boolean> numeric);

  /** One row; what is null has the text {@code null} and is told apart by {@code nulls}. */
  void row(List<String> cells, boolean[] nulls);
}
