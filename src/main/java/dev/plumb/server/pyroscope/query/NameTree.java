package dev.plumb.server.pyroscope.query;

import dev.plumb.profile.CallTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stacks merged by names alone, as Pyroscope merges them; node 0 is the root. There is one column
 * of values, or two if two profiles are compared.
 */
final class NameTree {
  private static final String ROOT = "total";
  private static final String OTHER = "other";

  private final List<String> names = new ArrayList<>();
  private final long[][] self;
  private final long[][] total;
  private final int[][] children;

  /** A child as it is shown: a node, or the sum of nodes that are too small. */
  record Child(int node, String name, long[] total, long[] self) {}

  NameTree(CallTree tree) {
    Map<Long, Integer> known = new HashMap<>();
    Map<String, Integer> nameIds = new HashMap<>();
    int[] place = new int[tree.size()];
    int[] parents = new int[tree.size()];
    parents[0] = -1;
    names.add(ROOT);
    for (int node = 1; node < tree.size(); node++) {
      String name = tree.symbol(node).name();
      int nameId = nameIds.computeIfAbsent(name, _ -> nameIds.size());
      int parent = place[tree.parent(node)];
      Integer there = known.putIfAbsent((long) parent << 32 | nameId, names.size());
      if (there == null) {
        parents[names.size()] = parent;
        place[node] = names.size();
        names.add(name);
      } else {
        place[node] = there;
      }
    }
    self = new long[tree.columns()][names.size()];
    for (int column = 0; column < self.length; column++) {
      for (int node = 0; node < place.length; node++) {
        self[column][place[node]] += tree.self(node, column);
      }
    }
    total = totals(parents);
    children = children(parents);
  }

  private long[][] totals(int[] parents) {
    long[][] result = new long[self.length][];
    for (int column = 0; column < self.length; column++) {
      result[column] = self[column].clone();
      for (int node = names.size() - 1; node > 0; node--) {
        result[column][parents[node]] += result[column][node];
      }
    }
    return result;
  }

  /** By name. */
  private int[][] children(int[] parents) {
    int size = names.size();
    int[] counts = new int[size];
    for (int node = 1; node < size; node++) {
      counts[parents[node]]++;
    }
    int[][] result = new int[size][];
    Arrays.setAll(result, node -> new int[counts[node]]);
    Integer[] byName = new Integer[size];
    Arrays.setAll(byName, node -> node);
    Arrays.sort(byName, Comparator.comparing(names::get));
    int[] filled = new int[size];
    for (int node : byName) {
      if (node > 0) {
        result[parents[node]][filled[parents[node]]++] = node;
      }
    }
    return result;
  }

  /**
   * Keeps, in one column, only the stacks that begin with these frames; all stacks if there are no
   * frames.
   */
  NameTree below(List<String> callSite, int column) {
    if (callSite.isEmpty()) {
      return this;
    }
    boolean[] kept = new boolean[names.size()];
    int node = 0;
    for (String name : callSite) {
      int parent = node;
      node =
          Arrays.stream(node < 0 ? new int[0] : children[parent])
              .filter(child -> names.get(child).equals(name))
              .findFirst()
              .orElse(-1);
    }
    // A node's number is larger than its parent's.
    for (int at = 0; at < kept.length; at++) {
      kept[at] |= at == node;
      if (kept[at]) {
        for (int child : children[at]) {
          kept[child] = true;
        }
      }
    }
    long[] sums = total[column];
    for (int at = kept.length - 1; at >= 0; at--) {
      self[column][at] = kept[at] ? self[column][at] : 0;
      sums[at] = self[column][at];
      for (int child : children[at]) {
        sums[at] += sums[child];
      }
    }
    return this;
  }

  int columns() {
    return self.length;
  }

  Child root() {
    return child(0);
  }

  private Child child(int node) {
    return new Child(node, names.get(node), values(total, node), values(self, node));
  }

  private static long[] values(long[][] columns, int node) {
    long[] result = new long[columns.length];
    for (int column = 0; column < result.length; column++) {
      result[column] = columns[column][node];
    }
    return result;
  }

  /** The least total of a node, over all columns, to be among the {@code count} largest. */
  long smallestOf(long count) {
    int size = names.size() - 1;
    if (count <= 0 || size <= count) {
      return 0;
    }
    long[] sums = new long[size];
    for (int node = 1; node <= size; node++) {
      for (long[] column : total) {
        sums[node - 1] += column[node];
      }
    }
    Arrays.sort(sums);
    return sums[size - (int) count];
  }

  /** The children by name; those below {@code smallest} come last, as one. */
  List<Child> shown(Child parent, long smallest) {
    if (parent.node() < 0) {
      return List.of();
    }
    List<Child> shown = new ArrayList<>();
    long[] rest = new long[self.length];
    boolean any = false;
    for (int node : children[parent.node()]) {
      Child child = child(node);
      if (Arrays.stream(child.total()).allMatch(value -> value == 0)) {
        continue;
      }
      if (Arrays.stream(child.total()).sum() >= smallest && !child.name().equals(OTHER)) {
        shown.add(child);
      } else {
        Arrays.setAll(rest, column -> rest[column] + child.total()[column]);
        any = true;
      }
    }
    if (any && Arrays.stream(rest).anyMatch(value -> value != 0)) {
      shown.add(new Child(-1, OTHER, rest, rest));
    }
    return shown;
  }
}
