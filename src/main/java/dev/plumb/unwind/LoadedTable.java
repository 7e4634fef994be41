package dev.plumb.unwind;

import dev.plumb.unwind.rule.UnwindRules;
import dev.plumb.unwind.rule.UnwindTable;

/**
 * A file's table where the file is mapped.
 *
 * @param bias what is added to an ELF address to get a process address
 */
public record LoadedTable(UnwindRules table, long bias) {
  /** Of code that nothing is known of, as a JIT compiler's. */
  public static final LoadedTable NONE = new LoadedTable(UnwindTable.EMPTY, 0);
}
