package dev.plumb.unwind;

import dev.plumb.unwind.rule.UnwindRules;
import dev.plumb.unwind.rule.UnwindTable;

/**
 * The table of a mapped file.
 *
 * @param bias add it to an ELF address to get the process address
 */
public record LoadedTable(UnwindRules table, long bias) {
  /** For code without a table, such as a JIT compiler's. */
  public static final LoadedTable NONE = new LoadedTable(UnwindTable.EMPTY, 0);
}
