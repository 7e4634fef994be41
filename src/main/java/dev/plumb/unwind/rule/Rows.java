package dev.plumb.unwind.rule;

/** Rows by ascending address, which can be gone through again and again. */
@FunctionalInterface
public interface Rows {
  /** Takes rows. */
  @FunctionalInterface
  interface Taker {
    /**
     * A row that holds from here on; without one, nothing is known of the code. Of two for one
     * place the later counts.
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

  /** These where they know something, else others. */
  default Rows over(UnwindTable others) {
    return with(others, false);
  }

  /** These where others know nothing. */
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
   * Gives out what nothing is known of.
   *
   * @return whether something is known at all
   */
  default boolean forEachGap(long codeSize, RowGaps.Taker taker) {
    RowGaps gaps = new RowGaps(taker);
    forEach(gaps);
    return gaps.end(codeSize);
  }
}
