package dev.plumb.collect;

/**
 * How many rows all profiles of a recording may have together: each is a stack, a thread and a
 * detail, and where processes are many, there is no end of them.
 */
final class RowRoom {
  /** A row with its slots, and what is made of it when the recording is named. */
  private static final int BYTES = 512;

  private final int most;
  private int used;

  RowRoom(int most) {
    this.most = most;
  }

  static RowRoom ofHeap(long bytes) {
    return new RowRoom(Math.clamp(bytes / BYTES, 1 << 16, 64 << 20));
  }

  static RowRoom unlimited() {
    return new RowRoom(Integer.MAX_VALUE);
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

  boolean isHalfFull() {
    return used > most / 2;
  }
}
