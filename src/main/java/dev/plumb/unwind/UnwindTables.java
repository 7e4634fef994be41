package dev.plumb.unwind;

import dev.plumb.dwarf.cfi.CallFrames;
import dev.plumb.dwarf.cfi.FrameCounts;
import dev.plumb.elf.ElfFile;
import dev.plumb.unwind.code.CodeRange;
import dev.plumb.unwind.code.FunctionRows;
import dev.plumb.unwind.code.GoRows;
import dev.plumb.unwind.code.LandingPadRows;
import dev.plumb.unwind.code.LinkerStubRows;
import dev.plumb.unwind.code.PlainCodeRows;
import dev.plumb.unwind.rule.RowSink;
import dev.plumb.unwind.rule.Rows;
import dev.plumb.unwind.rule.RuleMaker;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindTable;

/** Makes the unwind table of a file. */
public final class UnwindTables {
  /**
   * Several times as many as the largest programs have; some 12 bytes each while a table is made.
   */
  private static final int MAX_ROWS = 1 << 22;

  private UnwindTables() {}

  /** A table and what it was made of. */
  public record Built(UnwindTable table, TableStatistics statistics) {}

  /**
   * Makes a table from .eh_frame, from Go's own table, from .debug_frame for code that .eh_frame
   * does not describe, from what we know about linkers' stubs and the way to landing pads, and from
   * the instructions of small functions that nothing describes. The table is empty if the file has
   * none of these, or is not for x86-64.
   *
   * @throws dev.plumb.elf.ElfException if the file is truncated meanwhile
   */
  public static Built of(ElfFile elf) {
    return of(elf, MAX_ROWS, false);
  }

  /**
   * The same with rules that also follow rbx: the dynamic linker's frame, while it binds a function
   * at its first call, is found by rbx only.
   */
  public static Built followingRbx(ElfFile elf) {
    return of(elf, MAX_ROWS, true);
  }

  public static Built of(ElfFile elf, int maxRows, boolean followsRbx) {
    if (elf.machine() != ElfFile.EM_X86_64 || !elf.is64()) {
      return new Built(UnwindTable.EMPTY, new TableStatistics(0, 0, 0, 0, 0, false));
    }
    CodeRange code = CodeRange.of(elf);
    RuleNumbers numbers = new RuleNumbers();
    RuleMaker maker = new RuleMaker(followsRbx);
    FunctionRows eh =
        new FunctionRows(
            code, numbers, maker, maxRows, UnwindTable.EMPTY, CallFrames.ehFrameBytes(elf));
    FrameCounts counts = CallFrames.forEachOfEhFrame(elf, eh);
    long dropped = eh.dropped();
    eh.sort();
    Rows rows = eh::emit;
    GoRows go = new GoRows(elf, code, numbers, maxRows - eh.rows());
    if (!go.isEmpty()) {
      rows = rows.over(table(go::emit, code, numbers));
    }
    long debugBytes = CallFrames.debugFrameBytes(elf);
    if (debugBytes > 0) {
      UnwindTable before = table(rows, code, numbers);
      int left = maxRows - before.rows();
      FunctionRows debug = new FunctionRows(code, numbers, maker, left, before, debugBytes);
      counts = counts.plus(CallFrames.forEachOfDebugFrame(elf, debug));
      dropped += debug.dropped();
      debug.sort();
      rows = Rows.of(before).over(table(debug::emit, code, numbers));
    }
    LinkerStubRows stubs = new LinkerStubRows(elf, code, numbers, rows);
    if (!stubs.isEmpty()) {
      rows = rows.over(table(stubs::emit, code, numbers));
    }
    PlainCodeRows plain = new PlainCodeRows(elf, code, numbers, rows);
    if (!plain.isEmpty()) {
      rows = rows.over(table(plain::emit, code, numbers));
    }
    LandingPadRows landings = new LandingPadRows(elf, code, numbers, rows);
    if (!landings.isEmpty()) {
      rows = rows.under(table(landings::emit, code, numbers));
    }
    UnwindTable table = table(rows, code, numbers);
    return new Built(
        followsRbx ? table.followingRbx() : table,
        new TableStatistics(
            counts.functions(),
            counts.badEntries(),
            dropped,
            unsupported(table),
            numbers.overflows(),
            counts.cut()));
  }

  private static UnwindTable table(Rows rows, CodeRange code, RuleNumbers numbers) {
    RowSink sink = new RowSink();
    rows.forEach(sink);
    sink.allocate();
    rows.forEach(sink);
    return new UnwindTable(code.elfStart(), sink.starts(), sink.rules(), numbers.rules());
  }

  private static long unsupported(UnwindTable table) {
    long count = 0;
    for (int i = 0; i < table.rows(); i++) {
      count += table.ruleNumber(i) == RuleNumbers.UNSUPPORTED ? 1 : 0;
    }
    return count;
  }
}
