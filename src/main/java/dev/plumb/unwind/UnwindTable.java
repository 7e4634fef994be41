package dev.plumb.unwind;

/**
 * How to unwind from anywhere in one ELF file: rows by ascending address, each good until the next
 * one's. Rules repeat a lot, so a row has only the number of its rule.
 *
 * <p>Immutable; 6 bytes a row and 8 a rule.
 */
public final class UnwindTable {
  private final long firstElfAddress;
  private final int[] starts;
  private final char[] ruleNumbers;
  private final long[] rules;

  /**
   * @param firstElfAddress what {@code starts} are counted from
   * @param starts ascending, unsigned
   * @param ruleNumbers for each row
   * @param rules packed as in {@link UnwindRule}
   */
  UnwindTable(long firstElfAddress, int[] starts, char[] ruleNumbers, long[] rules) {
    this.firstElfAddress = firstElfAddress;
    this.starts = starts;
    this.ruleNumbers = ruleNumbers;
    this.rules = rules;
  }

  public int rows() {
    return starts.length;
  }

  public long elfAddress(int row) {
    return firstElfAddress + Integer.toUnsignedLong(starts[row]);
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

  /** The row that holds at an address; -1 before the first. */
  public int find(long elfAddress) {
    long key = elfAddress - firstElfAddress;
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

  /** The rule that holds at an address. */
  public UnwindRule ruleAt(long elfAddress) {
    int row = elfAddress < firstElfAddress ? -1 : find(elfAddress);
    return row < 0 ? UnwindRule.NONE : UnwindRule.of(rules[ruleNumbers[row]]);
  }

  /** What it takes in memory. */
  public long bytes() {
    return 6L * starts.length + 8L * rules.length;
  }
}
