package dev.plumb.unwind.code;

import dev.plumb.dwarf.cfi.FrameRow;
import dev.plumb.dwarf.cfi.FrameVisitor;
import dev.plumb.unwind.rule.RowList;
import dev.plumb.unwind.rule.Rows;
import dev.plumb.unwind.rule.RuleMaker;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindTable;
import java.util.Arrays;

/**
 * Collects the rows of functions, which come in any order, and gives them out by address.
 *
 * <p>Where functions overlap, one that starts later goes first, as a search among sorted functions
 * would have it; of two that start at one place, the one that stands first in the file.
 */
public final class FunctionRows implements FrameVisitor {
  /** Few describe one with less. */
  private static final int BYTES_A_FUNCTION = 32;

  private static final int MAX_EXPECTED = 1 << 17;

  private final CodeRange code;
  private final RuleNumbers numbers;
  private final int maxRows;
  private final UnwindTable before;
  private final RuleMaker maker;
  private final RowList rows = new RowList();

  /** Start and number of each function. */
  private long[] functions;

  private int[] firstRows;

  /** The last byte of each function, from the start of the code. */
  private int[] lasts;

  private int count;
  private long dropped;

  /** Those of the function at hand. */
  private int start;

  private int last;

  /**
   * @param before what is described already: functions that it covers are left out
   * @param frameBytes the size of what describes the functions
   */
  public FunctionRows(
      CodeRange code,
      RuleNumbers numbers,
      RuleMaker maker,
      int maxRows,
      UnwindTable before,
      long frameBytes) {
    int expected = Math.clamp(frameBytes / BYTES_A_FUNCTION, 16, MAX_EXPECTED);
    this.functions = new long[expected];
    this.firstRows = new int[expected];
    this.lasts = new int[expected];
    this.maker = maker;
    this.code = code;
    this.numbers = numbers;
    this.maxRows = maxRows;
    this.before = before;
  }

  @Override
  public boolean function(long elfStart, long elfEnd) {
    if (!code.contains(elfStart, elfEnd) || before.covers(elfStart, elfEnd)) {
      return false;
    }
    if (rows.size() >= maxRows) {
      dropped++;
      return false;
    }
    if (count == lasts.length) {
      functions = Arrays.copyOf(functions, 2 * count);
      firstRows = Arrays.copyOf(firstRows, 2 * count);
      lasts = Arrays.copyOf(lasts, 2 * count);
    }
    start = code.offset(elfStart);
    last = code.offset(elfEnd - 1);
    functions[count] = (long) start << 32 | count;
    firstRows[count] = rows.size();
    lasts[count] = last;
    count++;
    return true;
  }

  @Override
  public void row(FrameRow row) {
    char number = numbers.number(maker.rule(row));
    int size = rows.size();
    if (size == firstRows[count - 1] || rows.rule(size - 1) != number) {
      rows.add(code.offset(row.elfStart()), number);
    }
  }

  @Override
  public void end(boolean whole) {
    if (!whole) {
      rows.truncate(firstRows[count - 1]);
      rows.add(start, RuleNumbers.UNSUPPORTED);
    }
  }

  /** Functions for which there was no room. */
  public long dropped() {
    return dropped;
  }

  /** How many there are; a few more than are given out, or less. */
  public int rows() {
    return rows.size();
  }

  /** Ends the collecting. */
  public void sort() {
    // The starts are unsigned: with the highest bit turned over, signed order is theirs.
    for (int i = 0; i < count; i++) {
      functions[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(functions, 0, count);
    for (int i = 0; i < count; i++) {
      functions[i] ^= Long.MIN_VALUE;
    }
  }

  /** Gives out the rows by address, with a row of no rule behind each run of functions. */
  public void emit(Rows.Taker sink) {
    long end = 0;
    for (int i = 0; i < count; i++) {
      long from = functions[i] >>> 32;
      if (i > 0 && from == functions[i - 1] >>> 32) {
        continue;
      }
      if (from > end && i > 0) {
        sink.add((int) end, RuleNumbers.NONE);
      }
      int function = (int) functions[i];
      end = Integer.toUnsignedLong(lasts[function]) + 1;
      long next = nextStart(i);
      end = Math.min(end, next);
      int lastRow = function + 1 < count ? firstRows[function + 1] : rows.size();
      for (int r = firstRows[function]; r < lastRow; r++) {
        if (Integer.toUnsignedLong(rows.start(r)) >= end) {
          break;
        }
        sink.add(rows.start(r), rows.rule(r));
      }
    }
    if (end <= 0xffff_ffffL) {
      sink.add((int) end, RuleNumbers.NONE);
    }
  }

  /** Where the next function starts that does not start with this one. */
  private long nextStart(int i) {
    long from = functions[i] >>> 32;
    for (int next = i + 1; next < count; next++) {
      if (functions[next] >>> 32 != from) {
        return functions[next] >>> 32;
      }
    }
    return Long.MAX_VALUE;
  }
}
