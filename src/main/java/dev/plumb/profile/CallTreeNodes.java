package dev.plumb.profile;

import java.util.Arrays;
import java.util.List;

/** The nodes of a tree in the making, and the way from the root to the one added last. */
final class CallTreeNodes {
  private int size = 1;
  private final int[] parents;
  private final int[] symbolIds;
  private final long[][] self;
  private final long[][] cut;
  private int[] path = new int[256];
  private int depth;
  private int cutStacks;

  /** {@code count} nodes, the root included, will be made. */
  CallTreeNodes(int columns, int count) {
    parents = new int[count];
    symbolIds = new int[count];
    self = new long[columns][count];
    cut = new long[columns][0];
    parents[0] = -1;
  }

  /** Goes up until no more than {@code levels} nodes are on the way; how many are. */
  int backTo(int levels) {
    depth = Math.min(depth, levels);
    return depth;
  }

  /** Goes to a new child. */
  void enter(int symbol) {
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
    if (cut[column].length == 0) {
      cut[column] = new long[parents.length];
    }
    cut[column][path[depth]] += value;
  }

  CallTree tree(List<Symbol> symbols) {
    return new CallTree(symbols, parents, symbolIds, self, cut, cutStacks);
  }
}
