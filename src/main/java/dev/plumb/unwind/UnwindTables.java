package dev.plumb.unwind;

import dev.plumb.dwarf.cfi.CallFrames;
import dev.plumb.dwarf.cfi.FrameCounts;
import dev.plumb.elf.ElfFile;
import java.util.function.Consumer;

/** Makes the table of a file. */
public final class UnwindTables {
  /** Several times what the largest programs have; while it is made, some 12 bytes each. */
  private static final int MAX_ROWS = 1 << 22;

  private UnwindTables() {}

  /** A table and how it came about. */
  public record Built(UnwindTable table, TableStatistics statistics) {}

  /**
   * By .eh_frame, by Go's own table, by .debug_frame for code that .eh_frame does not describe, by
   * what is known of linkers' stubs, and by the instructions of small functions that nothing
   * describes. Empty if there is nothing of these, or if the file is not for x86-64.
   *
   * @throws dev.plumb.elf.ElfException if the file is truncated meanwhile
   */
  public static Built of(ElfFile elf) {
    return of(elf, MAX_ROWS, false);
  }

  /**
   * The same with rules that follow rbx, too: the dynamic linker's frame while it binds a function
   * at its first call is found by rbx only.
   */
  public static Built followingRbx(ElfFile elf) {
    return of(elf, MAX_ROWS, true);
  }

  static Built of(ElfFile elf, int maxRows, boolean followsRbx) {
    if (elf.machine() != ElfFile.EM_X86_64 || !elf.is64()) {
      return new Built(UnwindTable.EMPTY, new TableStatistics(0, 0, 0, 0, 0, false));
    }
    CodeRange code = CodeRange.of(elf);
    RuleNumbers numbers = new RuleNumbers();
    RuleMaker maker = new RuleMaker(followsRbx);
    FunctionRows eh = new FunctionRows(code, numbers, maker, maxRows, UnwindTable.EMPTY);
    FrameCounts counts = CallFrames.forEachOfEhFrame(elf, eh);
    UnwindTable table = table(eh, code, numbers);
    long dropped = eh.dropped(); // so that nobody needs eh any more: it is as large as the table
    GoRows go = new GoRows(elf, code, numbers, maxRows - table.rows());
    if (!go.isEmpty()) {
      table = over(table, table(go::emit, code, numbers), code, numbers);
    }
    int left = maxRows - table.rows();
    FunctionRows debug = new FunctionRows(code, numbers, maker, left, table);
    counts = counts.plus(CallFrames.forEachOfDebugFrame(elf, debug));
    if (debug.functions() > 0) {
      table = over(table, table(debug, code, numbers), code, numbers);
    }
    LinkerStubs stubs = new LinkerStubs(elf, code, numbers, table);
    if (!stubs.isEmpty()) {
      table = over(table, table(stubs::emit, code, numbers), code, numbers);
    }
    PlainCode plain = new PlainCode(elf, code, numbers, table);
    if (!plain.isEmpty()) {
      table = over(table, table(plain::emit, code, numbers), code, numbers);
    }
    return new Built(
        followsRbx ? table.followingRbx() : table,
        new TableStatistics(
            counts.functions(),
            counts.badEntries(),
            dropped + debug.dropped(),
            unsupported(table),
            numbers.overflows(),
            counts.cut()));
  }

  private static UnwindTable table(FunctionRows functions, CodeRange code, RuleNumbers numbers) {
    functions.sort();
    return table(functions::emit, code, numbers);
  }

  /** The first where it knows something, else the second. */
  private static UnwindTable over(
      UnwindTable first, UnwindTable second, CodeRange code, RuleNumbers numbers) {
    return table(sink -> merge(first, second, sink), code, numbers);
  }

  /**
   * @param rows gives them out, the same each time
   */
  private static UnwindTable table(Consumer<RowSink> rows, CodeRange code, RuleNumbers numbers) {
    RowSink sink = new RowSink();
    rows.accept(sink);
    sink.allocate();
    rows.accept(sink);
    return new UnwindTable(code.elfStart(), sink.starts(), sink.rules(), numbers.rules());
  }

  private static void merge(UnwindTable first, UnwindTable second, RowSink sink) {
    int a = 0;
    int b = 0;
    char ruleA = RuleNumbers.NONE;
    char ruleB = RuleNumbers.NONE;
    while (a < first.rows() || b < second.rows()) {
      long startA = a < first.rows() ? first.start(a) : Long.MAX_VALUE;
      long startB = b < second.rows() ? second.start(b) : Long.MAX_VALUE;
      long start = Math.min(startA, startB);
      if (startA == start) {
        ruleA = (char) first.ruleNumber(a++);
      }
      if (startB == start) {
        ruleB = (char) second.ruleNumber(b++);
      }
      sink.add((int) start, ruleA == RuleNumbers.NONE ? ruleB : ruleA);
    }
  }

  private static long unsupported(UnwindTable table) {
    long count = 0;
    for (int i = 0; i < table.rows(); i++) {
      count += table.ruleNumber(i) == RuleNumbers.UNSUPPORTED ? 1 : 0;
    }
    return count;
  }
}
