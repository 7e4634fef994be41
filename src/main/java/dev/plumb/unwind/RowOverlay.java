package dev.plumb.unwind;

/** Lays the rows that it takes over those of a table. */
final class RowOverlay implements Rows.Taker {
  private final UnwindTable under;
  private final Rows.Taker taker;
  private int next;
  private char rule = RuleNumbers.NONE;
  private char ruleUnder = RuleNumbers.NONE;

  RowOverlay(UnwindTable under, Rows.Taker taker) {
    this.under = under;
    this.taker = taker;
  }

  @Override
  public void add(int start, char newRule) {
    long place = Integer.toUnsignedLong(start);
    addBefore(place);
    if (next < under.rows() && under.start(next) == place) {
      ruleUnder = (char) under.ruleNumber(next++);
    }
    rule = newRule;
    taker.add(start, shown());
  }

  /** To be called when all have been taken. */
  void end() {
    addBefore(Long.MAX_VALUE);
  }

  private void addBefore(long limit) {
    while (next < under.rows() && under.start(next) < limit) {
      ruleUnder = (char) under.ruleNumber(next);
      taker.add((int) under.start(next++), shown());
    }
  }

  private char shown() {
    return rule == RuleNumbers.NONE ? ruleUnder : rule;
  }
}
