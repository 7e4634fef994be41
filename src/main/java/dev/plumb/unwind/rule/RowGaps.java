package dev.plumb.unwind.rule;

/** Finds the code that the rows it takes know nothing of. */
final class RowGaps implements Rows.Taker {
  /** Takes stretches of code, counted from its start. */
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

  /** To be called when all have been taken; whether one of them knew something. */
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
