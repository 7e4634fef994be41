package dev.plumb.collect.raw;

/**
 * How many rows all profiles of a recording may have together: each is a stack, a thread and a
 * detail, and where processes are many, there is no end of them.
 */
public final class RowBudget {
  /** A row with its slots, and what is made of it when the recording is named. */
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

  /** Room for one more; whether there is some. */
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
