package dev.plumb.unwind.rule;

import java.util.Arrays;

/** Rows of start and rule number, kept in pieces, so that growing never copies them. */
public final class RowList {
  private static final int BITS = 14;
  private static final int PIECE = 1 << BITS;

  private int[][] starts = new int[8][];
  private char[][] rules = new char[8][];
  private int size;

  public int size() {
    return size;
  }

  public int start(int row) {
    return starts[row >>> BITS][row & PIECE - 1];
  }

  public char rule(int row) {
    return rules[row >>> BITS][row & PIECE - 1];
  }

  public void add(int start, char rule) {
    int piece = size >>> BITS;
    if (piece == starts.length) {
      starts = Arrays.copyOf(starts, 2 * piece);
      rules = Arrays.copyOf(rules, 2 * piece);
    }
    if (starts[piece] == null) {
      starts[piece] = new int[PIECE];
      rules[piece] = new char[PIECE];
    }
    starts[piece][size & PIECE - 1] = start;
    rules[piece][size & PIECE - 1] = rule;
    size++;
  }

  /** Drops the rows from this one on. */
  public void truncate(int row) {
    size = row;
  }
}
