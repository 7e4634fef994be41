package dev.plumb.unwind.rule;

/** Lays the rows that it takes over those of a table, or under them. */
final class RowOverlay implements Rows.Taker {
  private final UnwindTable table;
  private final boolean tableIsAbove;
  private final Rows.Taker taker;
  private int next;
  private char rule = RuleNumbers.NONE;
  private char ruleOfTable = RuleNumbers.NONE;

  RowOverlay(UnwindTable table, boolean tableIsAbove, Rows.Taker taker) {
    this.table = table;
    this.tableIsAbove = tableIsAbove;
    this.taker = taker;
  }

  @Override
  public void add(int start, char newRule) {
    long place = Integer.toUnsignedLong(start);
    addBefore(place);
    if (next < table.rows() && table.start(next) == place) {
      ruleOfTable = (char) table.ruleNumber(next++);
    }
    rule = newRule;
    taker.add(start, shown());
  }

  /** Call it after the last row. */
  void end() {
    addBefore(Long.MAX_VALUE);
  }

  private void addBefore(long limit) {
    while (next < table.rows() && table.start(next) < limit) {
      ruleOfTable = (char) table.ruleNumber(next);
      taker.add((int) table.start(next++), shown());
    }
  }

  private char shown() {
    char above = tableIsAbove ? ruleOfTable : rule;
    char below = tableIsAbove ? rule : ruleOfTable;
    return above == RuleNumbers.NONE ? below : above;
  }
}
