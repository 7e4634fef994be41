package dev.plumb.unwind.rule;

/**
 * How to unwind from anywhere in one ELF file: rows by ascending address, each of which applies up
 * to the next one. Rules repeat a lot, so a row has only the number of its rule.
 *
 * <p>Immutable; 6 bytes per row and 8 per rule.
 */
public final class UnwindTable implements UnwindRules {
  /** The number that stands for no rule. */
  public static final int NO_RULE = RuleNumbers.NONE;

  /** The number of the rule for code that is described in an unsupported way. */
  public static final int UNSUPPORTED_RULE = RuleNumbers.UNSUPPORTED;

  public static final UnwindTable EMPTY = new UnwindTable(0, new int[0], new char[0], new long[0]);

  private static final int MAX_ROWS_COVERING = 1000;

  private final long firstElfAddress;
  private final int[] starts;
  private final char[] ruleNumbers;
  private final long[] rules;
  private final boolean followsRbx;

  /**
   * @param firstElfAddress the address that {@code starts} are relative to
   * @param starts ascending, unsigned
   * @param ruleNumbers for each row
   * @param rules packed as in {@link UnwindRule}
   * @param followsRbx whether they say where rbx is
   */
  public UnwindTable(
      long firstElfAddress, int[] starts, char[] ruleNumbers, long[] rules, boolean followsRbx) {
    this.firstElfAddress = firstElfAddress;
    this.starts = starts;
    this.ruleNumbers = ruleNumbers;
    this.rules = rules;
    this.followsRbx = followsRbx;
  }

  public UnwindTable(long firstElfAddress, int[] starts, char[] ruleNumbers, long[] rules) {
    this(firstElfAddress, starts, ruleNumbers, rules, false);
  }

  /** The same rows, for rules that say where rbx is. */
  public UnwindTable followingRbx() {
    return new UnwindTable(firstElfAddress, starts, ruleNumbers, rules, true);
  }

  /** Whether some code can be unwound only by rbx. */
  public boolean needsRbx() {
    for (long rule : rules) {
      if (UnwindRule.cfa(rule) == UnwindRule.CFA_REGISTER + Registers.RBX) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean followsRbx() {
    return followsRbx;
  }

  public int rows() {
    return starts.length;
  }

  public long elfAddress(int row) {
    return firstElfAddress + Integer.toUnsignedLong(starts[row]);
  }

  /** Relative to the first ELF address. */
  long start(int row) {
    return Integer.toUnsignedLong(starts[row]);
  }

  public int ruleNumber(int row) {
    return ruleNumbers[row];
  }

  public int rules() {
    return rules.length;
  }

  public long packedRule(int number) {
    return rules[number];
  }

  /** The row that applies at an address; -1 before the first row and beyond 4 GB from there. */
  public int find(long elfAddress) {
    long key = elfAddress - firstElfAddress;
    if (key < 0 || key > 0xFFFF_FFFFL) {
      return -1;
    }
    int low = 0;
    int high = starts.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Integer.toUnsignedLong(starts[middle]) <= key) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  @Override
  public long packedRuleAt(long elfAddress) {
    int row = find(elfAddress);
    return row < 0 ? RuleMaker.NONE : rules[ruleNumbers[row]];
  }

  /** Whether there are rules for all of this code; may be false for a large piece that has them. */
  public boolean covers(long elfStart, long elfEnd) {
    int row = find(elfStart);
    if (row < 0) {
      return false;
    }
    int limit = row + MAX_ROWS_COVERING;
    for (; row < starts.length && elfAddress(row) < elfEnd; row++) {
      if (ruleNumbers[row] == RuleNumbers.NONE || row == limit) {
        return false;
      }
    }
    return true;
  }

  /** The memory it takes. */
  public long bytes() {
    return 6L * starts.length + 8L * rules.length;
  }
}
