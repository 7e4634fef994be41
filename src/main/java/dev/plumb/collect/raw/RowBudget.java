package dev.plumb.collect.raw;

/**
 * How many rows all profiles of a recording may have together. A row is a stack, a thread and a
 * detail; with many short-lived processes, their number is unlimited.
 */
public final class RowBudget {
  /** Bytes of a row with its slots, and of what naming makes of it. */
  private static final int BYTES = 512;

  private final int most;
  private int used;

  RowBudget(int most) {
    this.most = most;
  }

  public static RowBudget ofHeap(long bytes) {
    return new RowBudget(Math.clamp(bytes / BYTES, 1 << 16, 64 << 20));
  }

  static RowBudget unlimited() {
    return new RowBudget(Integer.MAX_VALUE);
  }

  /** Takes the space of one row; false if there is none. */
  boolean take() {
    if (used >= most) {
      return false;
    }
    used++;
    return true;
  }

  void giveBack(int rows) {
    used -= rows;
  }

  public boolean isHalfFull() {
    return used > most / 2;
  }
}
