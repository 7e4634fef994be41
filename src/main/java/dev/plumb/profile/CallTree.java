package dev.plumb.profile;

import java.util.Arrays;
import java.util.List;

/**
 * A profile's stacks merged from the root: node 0 is everything, its children are the processes by
 * name, their descendants the frames by function.
 *
 * <p>A node is a number, greater than its parent's; its attributes are in columns. There are as
 * many columns of values as the builder was told.
 */
public final class CallTree {
  private final List<Symbol> symbols;
  private final int[] parents;
  private final int[] symbolIds;
  private final long[][] self;
  private final long[][] cut;
  private final int cutStacks;
  private final long[][] total;
  private int[] firstChild = {};
  private int[] nextSibling = {};

  /** A column of {@code cut} is empty if no node was removed. */
  CallTree(
      List<Symbol> symbols,
      int[] parents,
      int[] symbolIds,
      long[][] self,
      long[][] cut,
      int cutStacks) {
    this.symbols = symbols;
    this.parents = parents;
    this.symbolIds = symbolIds;
    this.self = self;
    this.cut = cut;
    this.cutStacks = cutStacks;
    this.total = new long[self.length][];
    for (int column = 0; column < self.length; column++) {
      total[column] = totals(parents, self[column], cut[column]);
    }
  }

  /** The tree of all rows, with one column per value type. */
  public static CallTree of(Profile profile, int... types) {
    return builder(profile, types).build();
  }

  /** A builder with all rows and one column per value type. */
  public static CallTreeBuilder builder(Profile profile, int... types) {
    return fill(new CallTreeBuilder(types.length), profile, types);
  }

  /** The same; incomplete stacks are below a node that says why they are. */
  public static CallTreeBuilder builderWithEnds(Profile profile, int... types) {
    return fill(new CallTreeBuilder(types.length, true), profile, types);
  }

  private static CallTreeBuilder fill(CallTreeBuilder builder, Profile profile, int... types) {
    int[] columns = new int[types.length];
    Arrays.setAll(columns, i -> i);
    builder.add(profile, types, columns);
    return builder;
  }

  private static long[] totals(int[] parents, long[] self, long[] cut) {
    long[] total = self.clone();
    for (int node = 0; node < cut.length; node++) {
      total[node] += cut[node];
    }
    for (int node = total.length - 1; node > 0; node--) {
      total[parents[node]] += total[node];
    }
    return total;
  }

  public int size() {
    return parents.length;
  }

  public int columns() {
    return self.length;
  }

  /** All symbols, by id. */
  public List<Symbol> symbols() {
    return symbols;
  }

  public int symbolId(int node) {
    return symbolIds[node];
  }

  public Symbol symbol(int node) {
    return symbols.get(symbolIds[node]);
  }

  /** The parent; -1 for the root. */
  public int parent(int node) {
    return parents[node];
  }

  public long self(int node, int column) {
    return self[column][node];
  }

  /** The value of children that were too small to keep; part of the total. */
  public long cut(int node, int column) {
    return cut[column].length == 0 ? 0 : cut[column][node];
  }

  /** The number of distinct stacks that end in a removed node. */
  public int cutStacks() {
    return cutStacks;
  }

  public long total(int node, int column) {
    return total[column][node];
  }

  /** The first child, which has the largest total of all columns; -1 if there is none. */
  public int firstChild(int node) {
    link();
    return firstChild[node];
  }

  /** The next child of the same parent, in descending order; -1 after the last. */
  public int nextSibling(int node) {
    link();
    return nextSibling[node];
  }

  /** Visits nodes from the root down, a child after its parent, the largest child first. */
  @FunctionalInterface
  public interface Walker {
    /** Returns whether to visit the children of this node. */
    boolean node(int node, int depth);
  }

  /** Walks the tree without recursion, so that it may have any depth. */
  public void walk(Walker walker) {
    link();
    int node = 0;
    int depth = 0;
    while (node >= 0) {
      boolean below = walker.node(node, depth) && firstChild[node] >= 0;
      if (below) {
        node = firstChild[node];
        depth++;
        continue;
      }
      while (node > 0 && nextSibling[node] < 0) {
        node = parents[node];
        depth--;
      }
      node = node > 0 ? nextSibling[node] : -1;
    }
  }

  /** The number of ancestors. */
  public int depth(int node) {
    int depth = 0;
    for (int at = parents[node]; at >= 0; at = parents[at]) {
      depth++;
    }
    return depth;
  }

  private synchronized void link() {
    if (firstChild.length == 0) {
      ChildOrder order = new ChildOrder(parents, weights());
      nextSibling = order.nextSibling();
      firstChild = order.firstChild();
    }
  }

  /** The order of children: by the column's totals, or by the mean of all columns' shares. */
  private double[] weights() {
    double[] weights = new double[size()];
    for (long[] column : total) {
      double scale = column[0] == 0 ? 0 : 1.0 / column[0];
      for (int node = 0; node < weights.length; node++) {
        weights[node] += column[node] * scale;
      }
    }
    return weights;
  }
}
