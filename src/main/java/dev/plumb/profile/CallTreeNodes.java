package dev.plumb.profile;

import java.util.Arrays;
import java.util.List;

/** The nodes of a tree in the making, and the way from the root to the one added last. */
final class CallTreeNodes {
  private int size = 1;
  private int[] parents;
  private int[] symbolIds;
  private final long[][] self;
  private final long[][] cut;
  private int[] path = new int[256];
  private int depth;
  private int cutStacks;

  CallTreeNodes(int columns, int expected) {
    int capacity = Math.max(1024, expected * 2);
    parents = new int[capacity];
    symbolIds = new int[capacity];
    self = new long[columns][capacity];
    cut = new long[columns][];
    parents[0] = -1;
  }

  /** Goes up until no more than {@code levels} nodes are on the way; how many are. */
  int backTo(int levels) {
    depth = Math.min(depth, levels);
    return depth;
  }

  /** Goes to a new child. */
  void enter(int symbol) {
    if (size == parents.length) {
      parents = Arrays.copyOf(parents, size * 2);
      symbolIds = Arrays.copyOf(symbolIds, size * 2);
      for (int column = 0; column < self.length; column++) {
        self[column] = Arrays.copyOf(self[column], size * 2);
      }
    }
    parents[size] = path[depth];
    symbolIds[size] = symbol;
    if (++depth == path.length) {
      path = Arrays.copyOf(path, depth * 2);
    }
    path[depth] = size++;
  }

  /** Adds to the node on the way: to itself, or to what was cut below it. */
  void add(int column, long value, boolean whole) {
    if (whole) {
      self[column][path[depth]] += value;
      return;
    }
    cutStacks += column == 0 ? 1 : 0;
    if (cut[column] == null || cut[column].length < parents.length) {
      cut[column] =
          cut[column] == null
              ? new long[parents.length]
              : Arrays.copyOf(cut[column], parents.length);
    }
    cut[column][path[depth]] += value;
  }

  CallTree tree(List<Symbol> symbols) {
    long[][] selfColumns = new long[self.length][];
    long[][] cutColumns = new long[self.length][];
    for (int column = 0; column < self.length; column++) {
      selfColumns[column] = Arrays.copyOf(self[column], size);
      cutColumns[column] = cut[column] == null ? new long[0] : Arrays.copyOf(cut[column], size);
    }
    return new CallTree(
        symbols,
        Arrays.copyOf(parents, size),
        Arrays.copyOf(symbolIds, size),
        selfColumns,
        cutColumns,
        cutStacks);
  }
}
