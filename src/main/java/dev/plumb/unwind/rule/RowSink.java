package dev.plumb.unwind.rule;

/**
 * Takes rows by ascending address and merges neighbours with the same rule. It is filled twice: the
 * first time it only counts, so that its arrays get the right size.
 */
public final class RowSink implements Rows.Taker {
  private static final long NONE = Long.MIN_VALUE;

  private int[] starts = new int[0];
  private char[] rules = new char[0];
  private boolean counts = true;
  private int size;
  private int last = -1;
  private int beforeLast = -1;
  private long lastStart = NONE;

  @Override
  public void add(int start, char rule) {
    if (start == lastStart) {
      size--;
      last = beforeLast;
      lastStart = NONE;
    }
    if (rule == last || last < 0 && rule == RuleNumbers.NONE) {
      return;
    }
    if (!counts) {
      starts[size] = start;
      rules[size] = rule;
    }
    size++;
    beforeLast = last;
    last = rule;
    lastStart = start;
  }

  /** Ends counting; now add the same rows again. */
  public void allocate() {
    starts = new int[size];
    rules = new char[size];
    counts = false;
    size = 0;
    last = -1;
    lastStart = NONE;
  }

  public int[] starts() {
    return starts;
  }

  public char[] rules() {
    return rules;
  }
}
