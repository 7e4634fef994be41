package dev.plumb.unwind.rule;

/** Finds the code for which the rows it takes have no rule. */
final class RowGaps implements Rows.Taker {
  /** Takes ranges of code, as offsets from its start. */
  @FunctionalInterface
  public interface Taker {
    void gap(long start, long end);
  }

  private final Taker taker;
  private boolean inGap = true;
  private long gapStart;
  private boolean known;

  RowGaps(Taker taker) {
    this.taker = taker;
  }

  @Override
  public void add(int start, char rule) {
    boolean isGap = rule == RuleNumbers.NONE;
    if (isGap && !inGap) {
      gapStart = Integer.toUnsignedLong(start);
    } else if (inGap && !isGap) {
      endGap(Integer.toUnsignedLong(start));
    }
    known |= !isGap;
    inGap = isGap;
  }

  /** Call it after the last row; returns whether any row has a rule. */
  boolean end(long codeSize) {
    if (inGap) {
      endGap(codeSize);
    }
    return known;
  }

  private void endGap(long at) {
    if (gapStart < at) {
      taker.gap(gapStart, at);
    }
  }
}
