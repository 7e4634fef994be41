package dev.plumb.unwind;

/**
 * Takes rows by ascending address and merges those of one rule. Filled twice: the first time it
 * only counts, so that its arrays have the right size.
 */
final class RowSink {
  private int[] starts = new int[0];
  private char[] rules = new char[0];
  private boolean counts = true;
  private int size;
  private int last = -1;

  /** A row that holds from here on; without one, nothing is known of the code. */
  void add(int start, char rule) {
    if (rule == last || last < 0 && rule == RuleNumbers.NONE) {
      return;
    }
    if (!counts) {
      starts[size] = start;
      rules[size] = rule;
    }
    size++;
    last = rule;
  }

  /** Ends the counting: now the same rows are given again. */
  void allocate() {
    starts = new int[size];
    rules = new char[size];
    counts = false;
    size = 0;
    last = -1;
  }

  int[] starts() {
    return starts;
  }

  char[] rules() {
    return rules;
  }
}
