package dev.plumb.unwind.rule;

/** Rows by ascending address, which can be visited repeatedly. */
@FunctionalInterface
public interface Rows {
  /** Takes rows. */
  @FunctionalInterface
  interface Taker {
    /**
     * A row that applies from {@code start} on. Before the first row there is no rule. Of two rows
     * for one place, the later one counts.
     */
    void add(int start, char rule);
  }

  void forEach(Taker taker);

  static Rows of(UnwindTable table) {
    return taker -> {
      for (int i = 0; i < table.rows(); i++) {
        taker.add((int) table.start(i), (char) table.ruleNumber(i));
      }
    };
  }

  /** These where they have a rule, else the others. */
  default Rows over(UnwindTable others) {
    return with(others, false);
  }

  /** These where the others have no rule. */
  default Rows under(UnwindTable others) {
    return with(others, true);
  }

  private Rows with(UnwindTable others, boolean othersAreAbove) {
    return taker -> {
      RowOverlay overlay = new RowOverlay(others, othersAreAbove, taker);
      forEach(overlay);
      overlay.end();
    };
  }

  /**
   * Visits the code without a rule.
   *
   * @return whether any code has a rule
   */
  default boolean forEachGap(long codeSize, RowGaps.Taker taker) {
    RowGaps gaps = new RowGaps(taker);
    forEach(gaps);
    return gaps.end(codeSize);
  }
}
