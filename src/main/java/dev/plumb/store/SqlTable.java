package dev.plumb.store;

import java.util.List;

/** Receives the result of a SQL query. */
public interface SqlTable {
  /** Receives the columns, once, before the rows. */
  void columns(List<String> names, List<Boolean> numeric);

  /** Receives a row; a null cell has the text {@code null} and is marked in {@code nulls}. */
  void row(List<String> cells, boolean[] nulls);
}
