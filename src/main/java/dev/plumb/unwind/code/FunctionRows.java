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
 * Collects the rows of functions, which come in any order, and emits them by address.
 *
 * <p>Where functions overlap, the one that starts later wins, as in a search among sorted
 * functions; of two with the same start, the first one in the file wins.
 */
public final class FunctionRows implements FrameVisitor {
  /** Few files need fewer bytes to describe a function. */
  private static final int BYTES_PER_FUNCTION = 32;

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

  /** The offset of each function's last byte from the start of the code. */
  private int[] lasts;

  private int count;
  private long dropped;

  /** The range of the current function. */
  private int start;

  private int last;

  /**
   * @param before what is described already: functions that it covers are left out
   * @param frameBytes the size of the section that describes the functions
   */
  public FunctionRows(
      CodeRange code,
      RuleNumbers numbers,
      RuleMaker maker,
      int maxRows,
      UnwindTable before,
      long frameBytes) {
    int expected = Math.clamp(frameBytes / BYTES_PER_FUNCTION, 16, MAX_EXPECTED);
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

  /** How many functions were left out for lack of room. */
  public long dropped() {
    return dropped;
  }

  /** The number of rows; {@link #emit} may emit a few more or fewer. */
  public int rows() {
    return rows.size();
  }

  /** Ends collecting; call it before {@link #emit}. */
  public void sort() {
    // The starts are unsigned: with the highest bit flipped, signed order is the same.
    for (int i = 0; i < count; i++) {
      functions[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(functions, 0, count);
    for (int i = 0; i < count; i++) {
      functions[i] ^= Long.MIN_VALUE;
    }
  }

  /** Emits the rows by address, with a row without a rule after each run of functions. */
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

  /** The next start of a function that is not the start of this one. */
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
